"""Words: everything the page says, in every language it speaks."""

from anastylosis.translation import Language
from anastylosis.web.problems import PROBLEMS

TABLE: dict[str, tuple[str, str]] = {  # key: English, Spanish
    # Tabs and panels
    "language": ("Language", "Idioma"),
    "stage": ("Scene", "Escena"),
    "tab_start": ("Start", "Inicio"),
    "tab_forecast": ("Predictions", "Predicciones"),
    "tab_play": ("Experiment", "Ensayo"),
    "tab_downloads": ("Files", "Archivos"),
    # Start
    "intro": (
        "How did it stand before it fell? Give a picture of fallen blocks, or a survey of them (a "
        "table with a row for each block), or drop the file on this page; see the towers that may have stood.",
        "¿Cómo estaba antes de caer? Dé una foto de los bloques caídos, o su levantamiento (una tabla con una fila "
        "por bloque), o suelte el archivo en esta página; vea las torres que pudieron estar en pie.",
    ),
    "upload": ("My picture or survey …", "Mi foto o levantamiento …"),
    "try_tower": ("Play with a tower", "Ensayar con una torre"),
    "drop": ("Drop one picture or survey here", "Suelte aquí una foto o un levantamiento"),
    "drop_several": (
        "{count} files were dropped. Only {name} is taken: give one picture or survey at a time.",
        "Se soltaron {count} archivos. Solo se toma {name}: dé una foto o un levantamiento a la vez.",
    ),
    "drop_folder": (
        "That is a folder. Drop the picture or the survey itself.",
        "Eso es una carpeta. Suelte la foto o el levantamiento.",
    ),
    "upload_hint": ("PNG, JPEG and others; CSV or JSON. Nothing is kept.", "PNG, JPEG y otros; CSV o JSON. No se guarda nada."),
    "takes": (
        "What is taken: pictures (PNG, JPEG and others), and surveys (CSV or JSON, a row for each block).",
        "Se aceptan fotos (PNG, JPEG y otras) y levantamientos (CSV o JSON, una fila por bloque).",
    ),
    "example": ("Example", "Ejemplo"),
    "example_picture": ("a picture", "una foto"),
    "example_survey": ("a survey", "levantamiento"),
    "nothing_given": ("Nothing is given yet.", "Aún no hay nada."),
    "kind_told": ("a picture that says where it was taken from", "una imagen que dice desde dónde se tomó"),
    "kind_target": ("a picture; the printed target is seen in it", "una foto; se ve en ella el patrón impreso"),
    "kind_unknown": (
        "a picture; no printed target is seen in it, so four floor points have to tell its camera",
        "una foto; no se ve en ella el patrón impreso, así que cuatro puntos del piso deben indicar su cámara",
    ),
    "kind_survey": ("a survey", "un levantamiento"),
    "friction": ("Friction", "Fricción"),
    "friction_hint": ("Of block on block. Unknown: it is inferred.", "De bloque con bloque. Desconocida: se infiere."),
    "unknown": ("unknown", "desconocida"),
    "low": ("low", "baja"),
    "nominal": ("typical", "típica"),
    "high": ("high", "alta"),
    "other": ("other …", "otra …"),
    "coefficient": ("Coefficient", "Coeficiente"),
    "layers": ("Layers", "Niveles"),
    "layers_hint": (
        "A layer is three blocks side by side. 0: the height is inferred.",
        "Un nivel son tres bloques lado a lado. 0: la altura se infiere.",
    ),
    "layers_note": (
        "How high the tower was, if you know it; leave 0 if you do not.",
        "Qué tan alta era la torre, si lo sabe; si no, deje 0.",
    ),
    "layers_few": ("a tower has three layers or more; 0: unknown", "una torre tiene tres niveles o más; 0: desconocida"),
    "more": ("More", "Más"),
    "hypotheses": ("Proposals", "Propuestas"),
    "hypotheses_hint": (
        "Towers that are let fall again; more take longer. 0: the most probable alone.",
        "Torres que se dejan caer de nuevo; más tardan más. 0: solo la más probable.",
    ),
    "complete": ("All blocks found", "Están todos"),
    "complete_hint": (
        "Every block was found: slots without one were empty before the fall.",
        "Se hallaron todos los bloques: los lugares sin bloque estaban vacíos antes.",
    ),
    "origin": ("Foot x, y [mm]", "Pie x, y [mm]"),
    "origin_hint": ("Middle of the tower's foot, on the site.", "Centro del pie de la torre, en el sitio."),
    "heading": ("Heading [°]", "Rumbo [°]"),
    "heading_hint": (
        "From the site's x to the length of the bottom blocks, counter-clockwise.",
        "De la x del sitio al largo de los bloques de abajo, contra el reloj.",
    ),
    "error": ("Error [mm, °]", "Error [mm, °]"),
    "error_hint": (
        "Standard deviations of surveyed blocks that have none in the file.",
        "Desviaciones estándar de los bloques que no las traen en el archivo.",
    ),
    "typed_one": (
        "“{label}” says “{text}”; write one number, as in −0.5",
        "«{label}» dice «{text}»; escriba un número, como −0.5",
    ),
    "typed_three": (
        "“{label}” says “{text}”; write three numbers with a space between them",
        "«{label}» dice «{text}»; escriba tres números con un espacio entre ellos",
    ),
    "typed_pair": (
        "“{label}” says “{text}”; write two numbers with a space between them, as in 120.5 −40",
        "«{label}» dice «{text}»; escriba dos números con un espacio en medio, como 120.5 −40",
    ),
    "typed_thousands": (
        "“{label}” says “{text}”, which can be read in two ways; write thousands without a comma, decimals with a point",
        "«{label}» dice «{text}», que se puede leer de dos maneras; escriba los miles sin coma, los decimales con punto",
    ),
    "typed_far": (
        "“{label}” says “{text}”; each number is between −{most} and {most}",
        "«{label}» dice «{text}»; cada número va de −{most} a {most}",
    ),
    "typed_range": (
        "“{label}” says {value:g}; it is {least:g} to {most:g}",
        "«{label}» dice {value:g}; va de {least:g} a {most:g}",
    ),
    "window": ("Window [px]", "Ventana [px]"),
    "reconstruct": ("Reconstruct", "Reconstruir"),
    "stop": ("Stop", "Detener"),
    "stopped": ("Stopped.", "Detenido."),
    # The camera of a photograph
    "photo_camera": ("Camera of the picture", "Cámara de la foto"),
    "camera_way": ("Known by", "Se sabe por"),
    "camera_way_hint": (
        "Pictures drawn by Anastylosis say their camera; photographs show the printed target, or you click points or a block.",
        "Las imágenes de Anastylosis traen su cámara; las fotos muestran el patrón impreso, o usted da puntos o un bloque.",
    ),
    "camera_found": ("the picture, or its target", "la foto, o su patrón"),
    "camera_points": ("four floor points", "cuatro puntos del piso"),
    "camera_corners": ("corners of one block", "esquinas de un bloque"),
    "target": ("Print target", "Imprimir patrón"),
    "target_hint": (
        "A sheet (PDF) to lay flat on the floor beside the debris, before you photograph it.",
        "Una hoja (PDF) para poner plana en el piso junto a los escombros, antes de fotografiarlos.",
    ),
    "target_note": (
        "Going to photograph? Print this sheet at 100 %, lay it flat beside the debris, and the camera is found by it.",
        "¿Va a fotografiar? Imprima esta hoja al 100 %, póngala plana junto a los escombros, y la cámara se halla por ella.",
    ),
    "paper_a4": ("A4", "A4"),
    "paper_letter": ("Letter", "Carta"),
    "paper_a3": ("A3", "A3"),
    "points_note": (
        "The picture is in the scene. Click four points of the floor in it whose places you have measured, around the debris; "
        "they become red, blue, green and orange. Then type where each one is.",
        "La foto está en la escena. Haga clic en ella en cuatro puntos del piso cuyos lugares haya medido, alrededor de los "
        "escombros; quedan en rojo, azul, verde y naranja. Luego escriba dónde está cada uno.",
    ),
    "corners_note": (
        "The picture is in the scene. Choose one block on the floor, near the camera, of which seven corners are seen. Click "
        "them, in any order, and type the size of the block.",
        "La foto está en la escena. Elija un bloque en el piso, cercano a la cámara, del que se vean siete esquinas. Haga clic "
        "en ellas, en cualquier orden, y escriba el tamaño del bloque.",
    ),
    "clicked_block": ("Block [mm]", "Bloque [mm]"),
    "corners_missing": (
        "{number} corners are clicked: click six or seven of one block in the picture, in the scene",
        "Hay {number} esquinas: haga clic en seis o siete de un bloque de la foto, en la escena",
    ),
    "foot_at_block": (
        "“Foot x, y [mm]” says 0 0, which is the middle of the clicked block. Type how far from there the middle of the tower's "
        "foot was.",
        "«Pie x, y [mm]» dice 0 0, que es el centro del bloque. Escriba a qué distancia de ahí estaba el centro del pie de la "
        "torre.",
    ),
    "point_missing": (
        "Point {number} has no pixel yet: click four points in the picture, in the scene",
        "El punto {number} aún no tiene píxel: haga clic en cuatro puntos de la foto, en la escena",
    ),
    "points_same": (
        "Points {first} and {second} are at the same place; type where each of the four is, x and y in millimetres",
        "Los puntos {first} y {second} están en el mismo lugar; escriba dónde está cada uno de los cuatro, x e y en milímetros",
    ),
    "place": ("Where the tower stood", "Dónde estaba la torre"),
    "place_target": (
        "Measure from corner 0 of the printed sheet, along its x and y, to the middle of the tower's foot. The heading is the "
        "angle from the sheet's x to the length of the lowest blocks, counter-clockwise.",
        "Mida desde la esquina 0 de la hoja impresa, a lo largo de su x y su y, hasta el centro del pie de la torre. El rumbo es "
        "el ángulo de la x de la hoja al largo de los bloques más bajos, contra el reloj.",
    ),
    "place_points": (
        "In the x and y of your four points. Leave 0 0 if you measured them from the middle of the tower's foot.",
        "En la x y la y de sus cuatro puntos. Deje 0 0 si los midió desde el centro del pie de la torre.",
    ),
    "place_corners": (
        "Measure from the middle of the clicked block to the middle of the tower's foot: x along the block's length, to the "
        "right as the camera sees it, y away from the camera. The heading is the angle from that x to the length of the lowest "
        "blocks, counter-clockwise.",
        "Mida desde el centro del bloque hasta el centro del pie de la torre: x a lo largo del bloque, a la derecha como lo ve "
        "la cámara; y alejándose de la cámara. El rumbo es el ángulo de esa x al largo de los bloques más "
        "bajos, contra el reloj.",
    ),
    "place_survey": (
        "In the survey's own x and y. Leave 0 0 if it was measured from the middle of the tower's foot.",
        "En la x y la y del levantamiento. Deje 0 0 si se midió desde el centro del pie de la torre.",
    ),
    "point_floor": ("{number}. x, y [mm]", "{number}. x, y [mm]"),
    "point_pixel": ("{number}. pixel", "{number}. píxel"),
    # Progress and problems
    "begins": ("Begins …", "Empieza …"),
    "in_line": ("Others are before you: place {place} in the line.", "Hay otros antes: lugar {place} en la fila."),
    "doing_blocks": (
        "Reading the blocks … Just after the page was started this may take a minute.",
        "Leyendo los bloques … Si la página acaba de iniciarse, puede tardar un minuto.",
    ),
    "doing_moves": (
        "Trying which block was taken out last: {done} of {total}",
        "Probando qué bloque se sacó al final: {done} de {total}",
    ),
    "doing_hypotheses": ("Letting towers fall again: {done} of {total}", "Dejando caer torres de nuevo: {done} de {total}"),
    "doing_steps": ("Planning the rebuilding: {done} of {total}", "Planeando el remontaje: {done} de {total}"),
    "doing_fall": (
        "Letting the most probable tower fall once more, to show it …",
        "Dejando caer una vez más la torre más probable, para mostrarla …",
    ),
    "doing_pictures": ("Drawing pictures: {done} of {total}", "Dibujando imágenes: {done} de {total}"),
    "computing": ("The physics is at work …", "La física está trabajando …"),
    "done": (
        "Done. See the scene: choose there to be shown the fall, how it stood or the rebuilding. What the numbers mean is under "
        "Predictions.",
        "Listo. Vea la escena: elija ahí que se muestre la caída, cómo estaba o el remontaje. Lo que significan los números está "
        "en Predicciones.",
    ),
    "failed": ("That did not work.", "Eso no funcionó."),
    "broken": (
        "Something broke on our side; the page goes on. Whoever runs it finds the cause in its log, under {number}.",
        "Algo falló de nuestro lado; la página sigue. Quien la administra verá la causa en su registro, con el número {number}.",
    ),
    "refused": ("This page cannot be used this way.", "Esta página no se puede usar así."),
    "refused_host": (
        "The page is not served under the name {asked}. If that is its name, whoever runs it has to start it with --public-url "
        "and the address that your browser shows.",
        "La página no se sirve con el nombre {asked}. Si ese es su nombre, quien la administra debe iniciarla con --public-url y "
        "la dirección que muestra su navegador.",
    ),
    "refused_origin": (
        "Your browser opened this page at {asked}, and it answers only at its own address. If {asked} is right, whoever runs "
        "the page has to start it with --public-url {asked}, and the path after that if there is one.",
        "Su navegador abrió esta página en {asked}, y ella solo responde en su propia dirección. Si {asked} es correcta, quien "
        "la administra debe iniciarla con --public-url {asked}, y después la ruta, si la hay.",
    ),
    "refused_token": (
        "The page takes a token, and your browser has none, or an old one: each start of the page makes a new one. Open the "
        "whole address that whoever runs the page has given you, with its token.",
        "La página pide una clave, y su navegador no la tiene, o tiene una vieja: cada inicio de la página crea otra. Abra la "
        "dirección completa que le dio quien la administra, con su clave.",
    ),
    "refused_path": (
        "There is nothing at {asked}. If a proxy serves the page there, whoever runs it has to start it with --public-url and "
        "the whole address that your browser shows.",
        "No hay nada en {asked}. Si un proxy sirve ahí la página, quien la administra debe iniciarla con --public-url y la "
        "dirección completa que muestra su navegador.",
    ),
    "token": ("Token", "Clave"),
    "enter": ("Open", "Abrir"),
    "too_large": ("{name} is too large: up to {most:.0f} MB are taken.", "{name} es muy grande: se aceptan hasta {most:.0f} MB."),
    "survey_too_large": (
        "{name} is too large for a survey: up to {most:.0f} MB are taken, which is enough for 10,000 blocks.",
        "{name} es muy grande para un levantamiento: se aceptan hasta {most:.0f} MB, que bastan para 10 000 bloques.",
    ),
    "cut_short": (
        "{name} did not come whole, and was not taken in. Give it again.",
        "{name} no llegó completo, y no se tomó. Délo otra vez.",
    ),
    "crowded": (
        "{name} was not taken in: the files of other visitors fill what this page has room for. Try again in a few minutes.",
        "{name} no se tomó: los archivos de otros visitantes llenan el espacio de esta página. Intente de nuevo en unos minutos.",
    ),
    "detail": ("In detail", "En detalle, en inglés"),
    # Scene
    "stage_empty": (
        "Blocks appear here: give a file under Start and press Reconstruct, or take a new tower under Experiment.",
        "Aquí aparecen los bloques: dé un archivo en Inicio y pulse Reconstruir, o tome una torre nueva en Ensayo.",
    ),
    "whose": ("Reconstruction of {name}", "Reconstrucción de {name}"),
    "whose_example": (
        "Example: {name}, a survey of fallen blocks, and how the tower may have stood. Under Start you give your own.",
        "Ejemplo: {name}, levantamiento de un escombro, y cómo pudo estar la torre. En Inicio puede dar el suyo.",
    ),
    "view": ("What the scene shows", "Qué muestra la escena"),
    "view_debris": ("What was found", "Lo hallado"),
    "view_fall": ("The fall", "La caída"),
    "view_tower": ("How it stood", "Cómo estaba"),
    "view_rebuild": ("The rebuilding", "El remontaje"),
    "leave_play": ("Back to the reconstruction", "Volver a la reconstrucción"),
    "proposals": ("Proposals", "Propuestas"),
    "cards_mean": (
        "Percent: of all towers that agree with what lies there. Those that fall again come first, then the more probable ones.",
        "Por ciento: de todas las torres que concuerdan con el escombro. Primero las que vuelven a caer, luego las más "
        "probables.",
    ),
    "outlines_mean": (
        "Outlined in red: empty. In blue: other than in the first proposal.",
        "Con contorno rojo: vacío. Azul: distinto de la primera propuesta.",
    ),
    "empty": ("empty", "vacíos"),
    "none": ("none", "ninguno"),
    "listed": (
        "The first {shown} of {count} are listed.",
        "En la lista: las primeras {shown} de {count}.",
    ),
    "other_towers": ("All other towers: {chance:.0%}.", "Todas las demás torres: {chance:.0%}."),
    "stays_up": ("stays up", "no cae"),
    "first_stays": (
        "No simulated tower fell again, so the most probable one is first.",
        "Ninguna torre simulada volvió a caer; por eso va primero la más probable.",
    ),
    "stays_up_means": (
        "Stays up: the simulated tower did not fall again.",
        "No cae: la torre simulada no volvió a caer.",
    ),
    "slot_names": (
        "A slot is the place of one block. L03_2: layer 3, place 2 of 0, 1, 2; layer 0 is on the floor.",
        "Un lugar es el de un bloque. L03_2: nivel 3, posición 2 de 0, 1, 2; el nivel 0 está en el piso.",
    ),
    "moment": ("Moment", "Momento"),
    "run": ("Run", "Correr"),
    "backwards": ("◀ back", "◀ atrás"),
    "pause": ("pause", "pausa"),
    "forwards": ("play ▶", "adelante ▶"),
    "speed": ("Speed", "Velocidad"),
    "way": ("Colours", "Colores"),
    "way_wood": ("wood", "madera"),
    "way_probability": ("by probability", "por probabilidad"),
    "way_basis": ("evidence, inference", "evidencia, inferencia"),
    "way_layer": ("by layer", "por nivel"),
    "layers_shown": ("Layers shown", "Niveles a la vista"),
    "camera": ("Seen from", "Visto desde"),
    "camera_corner": ("corner", "esquina"),
    "camera_front": ("front", "frente"),
    "camera_side": ("side", "lado"),
    "camera_top": ("top", "arriba"),
    "legend_evidence": ("evidence: it still stands there; paler: less sure", "evidencia: sigue ahí; más pálido: menos seguro"),
    "legend_wood": ("inference: it fell, and is put back", "inferencia: cayó y se repone"),
    "legend_inference": ("inference: put back", "inferencia: puesto de vuelta"),
    "legend_unseen": ("filled, but no block was found for it", "lleno, pero no se halló su bloque"),
    "legend_left_out": ("not put back", "no se pone de vuelta"),
    "legend_taken": ("taken out, or empty (outlined)", "sacado, o vacío (contorno)"),
    "legend_heap": (
        "Inference: how sure it is that the block stood there",
        "Inferencia: qué tan seguro es que el bloque estaba ahí",
    ),
    "legend_slot": (
        "Inference: how sure it is that the slot was filled",
        "Inferencia: qué tan seguro es que el lugar estaba lleno",
    ),
    "layer_low": ("layer 0, on the floor", "nivel 0, en el piso"),
    "layer_high": ("top", "arriba"),
    "debris": ("What lies there: {count} blocks.", "Lo que yace: {count} bloques."),
    "tower": ("{filled} slots filled, {empty} empty (outlined).", "Lugares llenos: {filled}; vacíos: {empty} (contornos)."),
    "whole": ("{count} slots, all filled.", "{count} lugares, todos llenos."),
    "taken": (
        "Removal {round}: {slot} is taken out. In which order is not known.",
        "Extracción {round}: se saca {slot}. El orden no se sabe.",
    ),
    "falls": (
        "Removal {round}: {slot} is taken out, and the tower falls.",
        "Extracción {round}: se saca {slot}, y la torre cae.",
    ),
    "stays": (
        "Removal {round}: {slot} is taken out. The simulated tower does not fall; that of proposal {other} does.",
        "Extracción {round}: se saca {slot}. La torre simulada no cae; la de la propuesta {other} sí.",
    ),
    "stays_all": (
        "Removal {round}: {slot} is taken out. The simulated tower does not fall, nor does that of any other proposal listed.",
        "Extracción {round}: se saca {slot}. La torre simulada no cae, ni la de ninguna otra propuesta de la lista.",
    ),
    "game": ("A simulated fall whose debris looks most alike.", "Una caída simulada cuyos escombros se parecen más."),
    "game_falls": (
        "A simulated fall whose debris looks most alike: the tower falls.",
        "Una caída simulada cuyos escombros se parecen más: la torre cae.",
    ),
    "no_fall": ("No fall was simulated for this proposal.", "No se simuló la caída de esta propuesta."),
    "step_found": (
        "Step {step} of {steps}: {block} to {slot}. Margin {margin:.1f} mm; bears shaking of {safety:.2f} × gravity "
        "at friction {friction:.2f}.",
        "Paso {step} de {steps}: {block} a {slot}. Margen {margin:.1f} mm; aguanta sacudidas de {safety:.2f} × "
        "la gravedad con fricción {friction:.2f}.",
    ),
    "step_unseen": (
        "Step {step} of {steps}: a new block to {slot}. Margin {margin:.1f} mm; bears shaking of {safety:.2f} × gravity "
        "at friction {friction:.2f}.",
        "Paso {step} de {steps}: un bloque nuevo a {slot}. Margen {margin:.1f} mm; aguanta sacudidas de {safety:.2f} × "
        "la gravedad con fricción {friction:.2f}.",
    ),
    "step_found_prop": (
        "Step {step} of {steps}: {block} to {slot}. It needs a prop. Margin {margin:.1f} mm.",
        "Paso {step} de {steps}: {block} a {slot}. Necesita un puntal. Margen {margin:.1f} mm.",
    ),
    "step_unseen_prop": (
        "Step {step} of {steps}: a new block to {slot}. It needs a prop. Margin {margin:.1f} mm.",
        "Paso {step} de {steps}: un bloque nuevo a {slot}. Necesita un puntal. Margen {margin:.1f} mm.",
    ),
    "step_found_bare": ("Step {step} of {steps}: {block} to {slot}.", "Paso {step} de {steps}: {block} a {slot}."),
    "step_unseen_bare": ("Step {step} of {steps}: a new block to {slot}.", "Paso {step} de {steps}: un bloque nuevo a {slot}."),
    "click_hint": (
        "Click a block: where it lies, where it stood, and how sure that is.",
        "Haga clic en un bloque: dónde yace, dónde estaba, y qué tan seguro es.",
    ),
    "play_click": ("Click the block to take out.", "Haga clic en el bloque que quiere sacar."),
    "block": ("Block", "Bloque"),
    "slot": ("Slot", "Lugar"),
    "lies": ("Lies at x, y, z", "Yace en x, y, z"),
    "stood": ("Stood in", "Estaba en"),
    "of_proposal": ("proposal {rank}", "propuesta {rank}"),
    "left_out": ("it is put back nowhere", "no se pone en ningún lugar"),
    "sure": ("How sure", "Qué tan seguro"),
    "basis_evidence": ("it still stands there", "sigue ahí"),
    "basis_inference": ("inferred", "inferido"),
    "nine_in_ten": ("One of, 9 in 10", "Uno de, 9 de 10"),
    "slots_ranked": ("Most probable", "Más probables"),
    "unseen_block": ("No block was found for this slot.", "No se halló bloque para este lugar."),
    "slot_filled": ("filled: {chance:.0%}", "lleno: {chance:.0%}"),
    # Predictions
    "nothing_yet": ("Press Reconstruct first.", "Primero pulse Reconstruir."),
    "span": ("{value} (9 in 10: {low} to {high})", "{value} (9 de 10: {low} a {high})"),
    "counted": ("{value}, counted", "{value}, contados"),
    "count": ("Blocks gone before the fall", "Bloques que faltaban antes de caer"),
    "count_means": (
        "How many slots were empty before the removal that brought the tower down. Typically 3 to 8.",
        "Cuántos lugares estaban vacíos antes de la extracción que tiró la torre. Lo típico: 3 a 8.",
    ),
    "imbalance": ("How near to tipping (imbalance)", "Qué tan cerca de volcarse (desequilibrio)"),
    "imbalance_means": (
        "Of the first proposal: below 0 its weight is over its foot, with so many millimetres to spare; above 0 it tips.",
        "De la primera propuesta: bajo 0 su peso está sobre su pie, con esos milímetros de sobra; sobre 0 se vuelca.",
    ),
    "torque": ("Blocks taken out sideways (torque risk)", "Bloques sacados de lado (riesgo de torsión)"),
    "torque_means": (
        "A block that leaves sideways may twist the tower. Estimated from a picture of the debris alone; typically 0 to 5.",
        "Un bloque que sale de lado puede torcer la torre. Se estima solo de una imagen de los escombros; lo típico: 0 a 5.",
    ),
    "torque_unlike": (
        "The drawing of this heap is unlike any that the net has learned from (score {score:.2g}; 99 in 100 known ones are below "
        "1): do not trust this number.",
        "El dibujo de este montón no se parece a ninguno de los que la red aprendió (valor {score:.2g}; 99 de cada 100 conocidos "
        "quedan bajo 1): no confíe en este número.",
    ),
    "failure": ("Gave way", "Cedió"),
    "failure_value": ("layer {layer} ({chance:.0%})", "nivel {layer} ({chance:.0%})"),
    "failure_means": ("The lowest layer that gave way; 0 is on the floor.", "El nivel más bajo que cedió; el 0 está en el piso."),
    "friction_said": ("Friction", "Fricción"),
    "friction_said_means": (
        "How rough the blocks are: the force to slide one, as a share of the force that presses it.",
        "Qué tan ásperos son: la fuerza para deslizar uno, como parte de la que lo aprieta.",
    ),
    "told_value": ("{value:.2f} (told)", "{value:.2f} (dada)"),
    "told_range": ("{low:.2f} to {high:.2f} (told)", "{low:.2f} a {high:.2f} (dada)"),
    "height": ("Height", "Altura"),
    "layers_told": (
        "{layers} layers (told; by the blocks alone {likely}, {chance:.0%})",
        "{layers} niveles (dados; según los bloques solos {likely}, {chance:.0%})",
    ),
    "layers_inferred": ("{layers} layers ({chance:.0%} sure)", "{layers} niveles ({chance:.0%} seguro)"),
    "height_means": ("Layers of the tower before the fall.", "Niveles de la torre antes de caer."),
    "warnings": ("Warnings", "Avisos"),
    "map": ("Which slots were empty", "Qué lugares estaban vacíos"),
    "map_means": (
        "A row a layer, a column a place, the floor below; percent, the redder the more probably empty. ★: the most probable "
        "ones, as many as are said to have been gone.",
        "Una fila por nivel, una columna por posición, el piso abajo; por ciento, más rojo: más probable que estuviera vacío. ★: "
        "los más probables, tantos como se dice que faltaban.",
    ),
    "given_photo": ("What was given", "Lo que se dio"),
    "given_survey": ("The survey, drawn", "El levantamiento, dibujado"),
    "sight": ("What was found in it: each outline is a block.", "Lo que se halló en ella: cada contorno es un bloque."),
    "sight_stands": ("still stands in its slot; paler: less sure", "sigue en su lugar; más pálido: menos seguro"),
    "sight_fell": ("fell", "cayó"),
    "sight_unsure": ("fell; doubtful: check whether it is there", "cayó; dudoso: revise si está ahí"),
    "resimulated": ("Proposal {rank}, fallen again", "La propuesta {rank}, caída de nuevo"),
    "not_fallen": ("Proposal {rank}: did not fall again", "La propuesta {rank}: no volvió a caer"),
    "looks_alike": ("A simulated fall that looks alike", "Una caída simulada que se parece"),
    # Play
    "play_intro": (
        "Take blocks out of a standing tower, and see what the physics does: what the models learned from.",
        "Saque bloques de una torre en pie, y vea qué hace la física: de esto aprendieron los modelos.",
    ),
    "play_layers": ("Layers", "Niveles"),
    "play_friction": ("Friction", "Fricción"),
    "play_build": ("New tower", "Torre nueva"),
    "play_proposed": ("The chosen proposal", "La propuesta elegida"),
    "play_block": ("Block", "Bloque"),
    "play_way": ("Direction", "Dirección"),
    "way_back": ("along its length, one way", "a lo largo, hacia un lado"),
    "way_forth": ("along its length, the other way", "a lo largo, hacia el otro lado"),
    "way_out": ("across, outwards", "de lado, hacia fuera"),
    "play_pull": ("Take it out", "Sacarlo"),
    "play_undo": ("Undo the last one", "Deshacer la última"),
    "play_choose": (
        "Click a block, or choose one; then take it out. Friction of this tower: {friction:.2f}.",
        "Haga clic en un bloque, o elija uno; luego sáquelo. Fricción de esta torre: {friction:.2f}.",
    ),
    "play_stands": ("{count} blocks stand.", "{count} bloques en pie."),
    "play_pulled": ("{block} is taken out: {time:.1f} s", "Se saca {block}: {time:.1f} s"),
    "play_collapse": ("{block} is taken out, and the tower falls.", "Se saca {block}, y la torre cae."),
    "play_stuck": ("{block} is stuck, and stays in.", "{block} está atorado, y se queda."),
    "play_out": ("{block} is out, and the tower stands.", "{block} salió, y la torre sigue en pie."),
    "play_force": ("Largest force on it: {force:.0f} mN", "Mayor fuerza aplicada: {force:.0f} mN"),
    "play_formula": ("By formula, load shared evenly: {force:.0f} mN", "Por fórmula, con carga pareja: {force:.0f} mN"),
    "play_margin": (
        "Balance margin, weakest layer: {before:.1f} mm before, {after:.1f} mm without it",
        "Margen de equilibrio, nivel más débil: {before:.1f} mm antes, {after:.1f} mm sin él",
    ),
    "play_torque": ("Sideways: this may twist the tower.", "De lado: esto puede torcer la torre."),
    "play_no_torque": ("Lengthwise: no twist.", "A lo largo: sin torsión."),
    # Files
    "downloads_intro": (
        "Files are made when you ask for them, in the language of the page; films take a minute. The 3-D model is of the "
        "proposal that is chosen, the film of the rebuilding of the most probable one; that of the fall says of which it is.",
        "Los archivos se hacen al pedirlos, en el idioma de la página; los videos tardan un minuto. El modelo 3-D es de la "
        "propuesta elegida; el video del remontaje, de la más probable; el de la caída dice de cuál es.",
    ),
    "file_film": ("Film of the fall and its undoing (MP4)", "Video de la caída y su reverso (MP4)"),
    "file_rebuild_film": ("Film of the rebuilding (MP4)", "Video del remontaje (MP4)"),
    "file_report": ("Report (HTML)", "Informe (HTML)"),
    "file_json": ("Everything, for programs (JSON)", "Todo, para programas (JSON)"),
    "file_csv": ("Table, a row for each block (CSV)", "Tabla, una fila por bloque (CSV)"),
    "file_glb": ("3-D model of the proposal (GLB)", "Modelo 3-D de la propuesta (GLB)"),
    "file_zip": ("All of these in one file (ZIP)", "Todo lo anterior en un archivo (ZIP)"),
    "no_film": ("No fall was simulated, so there is no film.", "No se simuló ninguna caída, así que no hay video."),
} | {f"error_{kind}": text for kind, text in PROBLEMS.items()}
COLUMNS = ("en", "es")


class Translator:
    """The table in one language."""

    def __init__(self, language: str) -> None:
        self.language: Language = "es" if language == "es" else "en"
        self.column = COLUMNS.index(language)

    def __call__(self, key: str, **values: object) -> str:
        text = TABLE[key][self.column]
        return text.format(**values) if values else text


def choose_language(accepted: str) -> str:
    """Choose the first language of a browser's list that the page speaks; English if there is none."""
    ranked = []
    for place, each in enumerate(accepted.split(",")):
        name, _, weight = each.strip().partition(";q=")
        try:
            ranked.append((-float(weight or 1), place, name.partition("-")[0].lower()))
        except ValueError:  # whatever a browser says
            continue
    return next((name for weight, _, name in sorted(ranked) if name in COLUMNS and weight < 0), COLUMNS[0])


def frame(content: str) -> str:
    """Return HTML with the margins and the letters of the controls beside it."""
    return (
        f'<div style="padding:.1em .8em .6em;font-size:.85em;line-height:1.4;overflow-wrap:anywhere">{content}</div>'
        if content
        else ""
    )
