"""Problems: the page's words for each kind of error: what is wrong, and what to do about it."""

PROBLEMS: dict[str, tuple[str, str]] = {  # kind of an error: English, Spanish
    "other": (
        "What was given cannot be used as it is; the details say why.",
        "Lo que se dio no se puede usar así; los detalles dicen por qué.",
    ),
    "file_empty": ("The file is empty. Choose another one.", "El archivo está vacío. Elija otro."),
    "file_large": ("The file is too large. Make it smaller first.", "El archivo es muy grande. Primero hágalo más chico."),
    "not_text": (
        "This is neither a picture that is read here nor a table of text. Save pictures as PNG or JPEG, tables as CSV in UTF-8.",
        "Esto no es una foto que aquí se lea, ni una tabla de texto. Guarde las fotos como PNG o JPEG, las tablas como CSV en "
        "UTF-8.",
    ),
    "picture": (
        "The picture cannot be used as it is; the details say why. It may help to save it anew as PNG or JPEG.",
        "La foto no se puede usar así; los detalles dicen por qué. Puede ayudar guardarla de nuevo como PNG o JPEG.",
    ),
    "picture_format": (
        "Pictures of this format are not read here. Save it as PNG or JPEG.",
        "Aquí no se leen imágenes de este formato. Guárdela como PNG o JPEG.",
    ),
    "picture_broken": (
        "The picture is broken or cut short. Copy it from the camera again, or save it anew as PNG or JPEG.",
        "La foto está dañada o incompleta. Cópiela otra vez de la cámara, o guárdela de nuevo como PNG o JPEG.",
    ),
    "picture_large": (
        "The picture has too many pixels. Make it smaller first.",
        "La foto tiene demasiados píxeles. Primero hágala más chica.",
    ),
    "picture_small": (
        "The picture is so small that nothing can be seen in it. Give it in its full size.",
        "La foto es tan chica que no se ve nada en ella. Déla en su tamaño completo.",
    ),
    "picture_strip": (
        "The picture is too long and narrow. Give one of an ordinary shape, with all of the debris in it.",
        "La foto es demasiado larga y angosta. Dé una de forma común, con todos los escombros en ella.",
    ),
    "picture_cropped": (
        "The picture was cropped or turned, and no longer fits the camera that it says. Give it as it was drawn.",
        "La imagen se recortó o se giró, y ya no corresponde a la cámara que trae. Déla como se dibujó.",
    ),
    "survey": (
        "The survey cannot be used as it is. Mend what the details name, and give it again.",
        "El levantamiento no se puede usar así. Corrija lo que nombran los detalles, y délo otra vez.",
    ),
    "survey_json": (
        "The file is not a survey in JSON. Mend what the details name, or give the survey as CSV.",
        "El archivo no es un levantamiento en JSON. Corrija lo que nombran los detalles, o dé el levantamiento como CSV.",
    ),
    "survey_columns": (
        "The table does not have the columns of a survey. The first row names them: id, length, width, height, x, y, z, and a "
        "rotation (qw, qx, qy, qz), each once.",
        "La tabla no tiene las columnas de un levantamiento. La primera fila las nombra: id, length, width, height, x, y, z, y "
        "una rotación (qw, qx, qy, qz), cada una una vez.",
    ),
    "survey_rows": (
        "A row of the table cannot be read. Every row has as many cells as there are columns, with the same separator "
        "everywhere.",
        "Una fila de la tabla no se puede leer. Cada fila tiene tantas celdas como columnas hay, con el mismo separador en "
        "todas.",
    ),
    "survey_empty": (
        "The table has no blocks. Add a row for each block.",
        "La tabla no tiene bloques. Añada una fila por cada bloque.",
    ),
    "survey_many": (
        "The survey has more blocks than can be worked on. Give those of one tower alone.",
        "El levantamiento tiene más bloques de los que se pueden tratar. Dé solo los de una torre.",
    ),
    "survey_number": (
        "A cell of the survey is not a number. Write all numbers in one way, with a decimal point and nothing between "
        "thousands, and leave no measure empty.",
        "Una celda del levantamiento no es un número. Escriba todos los números de una sola manera, con punto decimal y sin nada "
        "entre los miles, y no deje vacía ninguna medida.",
    ),
    "survey_units": (
        "The units of the survey are not clear. Declare them in the first rows: “# units: mm”, “# angles: degrees”.",
        "Las unidades del levantamiento no están claras. Declárelas en las primeras filas: «# units: mm», «# angles: degrees».",
    ),
    "survey_ids": (
        "Two blocks of the survey have the same name, or one has none. Give each a name of its own in the column “id”.",
        "Dos bloques del levantamiento tienen el mismo nombre, o uno no tiene. Dé a cada uno su propio nombre en la columna "
        "«id».",
    ),
    "survey_rotation": (
        "The rotation of a block cannot be read. Write a quaternion of length 1 in qw, qx, qy, qz, or declare which angles "
        "are used.",
        "La rotación de un bloque no se puede leer. Escriba un cuaternión de longitud 1 en qw, qx, qy, qz, o declare qué ángulos "
        "se usan.",
    ),
    "survey_value": (
        "A number of the survey cannot be right. Check it, and its unit.",
        "Un número del levantamiento no puede ser correcto. Revíselo, y su unidad.",
    ),
    "survey_far": (
        "A block lies far from the foot of the tower. Type where that foot is under “Where the tower stood”, or check the units.",
        "Un bloque yace muy lejos del pie de la torre. Escriba dónde está ese pie en «Dónde estaba la torre», o revise las "
        "unidades.",
    ),
    "blocks_misfit": (
        "No block of the survey has the size of a block of the tower. Check lengths, widths and heights, and their units.",
        "Ningún bloque del levantamiento tiene el tamaño de un bloque de la torre. Revise largos, anchos y altos, y sus "
        "unidades.",
    ),
    "blocks_many": (
        "More blocks lie there than a tower of so many layers has. Type the true height under “Layers”, or 0 if you do not know "
        "it.",
        "Hay más bloques de los que tiene una torre de tantos niveles. Escriba la altura verdadera en «Niveles», o 0 si no la "
        "sabe.",
    ),
    "blocks_nowhere": (
        "No block can be where the survey says. Check sizes, units and places, and “Where the tower stood”.",
        "Ningún bloque puede estar donde dice el levantamiento. Revise tamaños, unidades y lugares, y «Dónde estaba la torre».",
    ),
    "blocks_packed": (
        "The blocks take more room than there is where they are said to lie: places and sizes are in different units. Declare "
        "them in the file, as “# units: mm”, or name them in the columns, as x_mm.",
        "Los bloques ocupan más espacio del que hay donde se dice que están: lugares y tamaños vienen en unidades distintas. "
        "Declárelas en el archivo, como «# units: mm», o en los nombres de las columnas, como x_mm.",
    ),
    "frame_contradicted": (
        "The blocks contradict where the tower is said to have stood. Type its foot and its direction under “Where the tower "
        "stood”; the details have numbers that fit, in metres.",
        "Los bloques contradicen dónde se dice que estaba la torre. Escriba su pie y su rumbo en «Dónde estaba la torre»; los "
        "detalles traen números que concuerdan, en metros.",
    ),
    "no_camera": (
        "It is not known where the picture was taken from. Tell the camera in one of three ways: print the target, lay it on "
        "the floor and take the picture again; or choose “corners of one block” or “four floor points” above, under “Camera of "
        "the picture”.",
        "No se sabe desde dónde se tomó la foto. Indique la cámara de una de estas tres maneras: imprima el patrón, póngalo "
        "en el piso y tome la foto otra vez; o elija «esquinas de un bloque» o «cuatro puntos del piso» más arriba, en «Cámara "
        "de la foto».",
    ),
    "target_unread": (
        "It is not known where the picture was taken from, and where the page runs nothing is installed that finds the printed "
        "target. Choose “four floor points” above, under “Camera of the picture”.",
        "No se sabe desde dónde se tomó la foto, y donde corre la página no está instalado lo que halla el patrón impreso. Elija "
        "«cuatro puntos del piso» más arriba, en «Cámara de la foto».",
    ),
    "target_unclear": (
        "The printed target is found, but it does not tell where the camera was: it is seen too straight from above, or the "
        "sheet is not flat. Lay the sheet flat on the floor, and take the picture more from the side.",
        "Se halla el patrón impreso, pero no indica dónde estaba la cámara: se ve demasiado desde arriba, o la hoja no está "
        "plana. Ponga la hoja plana en el piso, y tome la foto más de lado.",
    ),
    "points_line": (
        "Three of the four points are on one line, or two are the same. Take points that surround the debris.",
        "Tres de los cuatro puntos están en una línea, o dos son el mismo. Tome puntos que rodeen los escombros.",
    ),
    "points_mirrored": (
        "The points are mirrored. Seen from above, y is a quarter turn counter-clockwise from x: exchange x and y of all points, "
        "or change the sign of one of them.",
        "Los puntos están en espejo. Vista desde arriba, la y está a un cuarto de vuelta de la x, contra el reloj: intercambie x "
        "e y de todos los puntos, o cambie el signo de una de ellas.",
    ),
    "points_steep": (
        "The points do not tell the camera: the floor is seen too straight from above, or they are too near to each other. Take "
        "the picture more from the side, or points farther apart.",
        "Los puntos no indican la cámara: el piso se ve demasiado desde arriba, o están muy cerca unos de otros. Tome la foto "
        "más de lado, o puntos más separados.",
    ),
    "points_loose": (
        "The points tell only roughly where the camera was. Take points farther apart, around the debris.",
        "Los puntos solo indican más o menos dónde estaba la cámara. Tome puntos más separados, alrededor de los escombros.",
    ),
    "points_wrong": (
        "No camera sees these four points there. Check whether two were exchanged, or a number is mistyped.",
        "Ninguna cámara ve ahí estos cuatro puntos. Revise si se intercambiaron dos, o si un número está mal escrito.",
    ),
    "corners_few": (
        "Six or seven corners of one block tell the camera. Click every corner of it that can be seen, each once.",
        "Seis o siete esquinas de un bloque indican la cámara. Haga clic una vez en cada una de las que se ven.",
    ),
    "corners_wrong": (
        "These are not the corners of one block of this size that lies there. Click the corners of one block that is seen whole, "
        "check its size, and give the picture upright.",
        "Estas no son las esquinas de un solo bloque de este tamaño. Haga clic en las esquinas de un bloque que se vea entero, "
        "revise su tamaño, y dé la foto derecha.",
    ),
    "corners_unclear": (
        "The corners fit the block in two ways. Click all seven corners that can be seen, as exactly as you can, or choose a "
        "block that is seen more from a corner.",
        "Las esquinas concuerdan con el bloque de dos maneras. Haga clic en las siete que se ven, con la mayor exactitud, o "
        "elija un bloque que se vea más de esquina.",
    ),
    "corners_small": (
        "The corners do not tell the camera: the block is too small in the picture. Choose a block that is nearer to the "
        "camera, or give the picture as the camera wrote it: a JPEG often says its focal length.",
        "Las esquinas no indican la cámara: el bloque se ve muy chico en la foto. Elija un bloque más cercano a la cámara, o dé "
        "la foto tal como la guardó la cámara: un JPEG suele indicar la distancia focal.",
    ),
    "foot_missing": (
        "“Foot x, y [mm]” says 0 0, which is the corner of the printed sheet. Type how far from there the middle of the tower's "
        "foot was.",
        "«Pie x, y [mm]» dice 0 0, que es la esquina de la hoja impresa. Escriba a qué distancia de ahí estaba el centro del pie "
        "de la torre.",
    ),
    "not_in_view": (
        "The camera does not look at the place where the tower stood. Check “Foot x, y” and “Heading” under “Where the tower "
        "stood”.",
        "La cámara no mira hacia donde estaba la torre. Revise «Pie x, y» y «Rumbo» en «Dónde estaba la torre».",
    ),
    "too_near": (
        "The camera is too near to the debris. Check the numbers that you typed, or step back and take the picture again.",
        "La cámara está demasiado cerca de los escombros. Revise los números que escribió, o aléjese y tome la foto otra vez.",
    ),
    "block_unknown": (
        "Blocks of these proportions cannot be found in pictures. Measure one block again, or survey the debris by hand.",
        "Los bloques de estas proporciones no se pueden encontrar en fotos. Mida otra vez un bloque, o levante los escombros a "
        "mano.",
    ),
    "too_far": (
        "The camera is so far away that blocks cannot be seen. Check the numbers that you typed, or go nearer and take the "
        "picture again.",
        "La cámara está tan lejos que no se ven bloques. Revise los números que escribió, o acérquese y tome la foto otra vez.",
    ),
    "picture_twice": (
        "One of the pictures was given twice. Give each of them once.",
        "Una de las fotos se dio dos veces. Dé cada una una sola vez.",
    ),
    "two_scenes": (
        "The pictures do not seem to show the same debris. Give them one by one, or check the camera of each.",
        "Las fotos no parecen mostrar los mismos escombros. Déselas una por una, o revise la cámara de cada una.",
    ),
    "no_blocks": (
        "No block is found in the picture. Check the camera and where the tower stood; the debris should fill the picture.",
        "No se halla ningún bloque en la foto. Revise la cámara y dónde estaba la torre; los escombros deben llenar la foto.",
    ),
    "engine": (
        "The simulation broke off. Try another friction, or fewer proposals.",
        "La simulación se interrumpió. Pruebe con otra fricción, o con menos propuestas.",
    ),
    "worker": (
        "The computer gave up on this work, perhaps for want of memory. Try again, with fewer proposals.",
        "La computadora no pudo con este trabajo, quizá por falta de memoria. Intente otra vez, con menos propuestas.",
    ),
    "extra": (
        "A part of the program that this needs is not installed where the page runs. Tell whoever runs the page.",
        "Falta instalar una parte del programa donde corre la página. Avise a quien la mantiene.",
    ),
}
