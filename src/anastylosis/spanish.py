"""Spanish of reports, films, panels, pictures and warnings: English -> Spanish. What the page says is in `web/words.py`."""

TEMPLATES: dict[str, str] = {
    # Words that stand alone
    "yes": "sí",
    "none": "ninguno",
    "and": "y",
    "rank": "orden",
    "probability": "probabilidad",
    "meaning": "significado",
    "step": "paso",
    "slot": "lugar",
    "block": "bloque",
    "stands": "en pie",
    "layer": "hilada",
    "layers": "hiladas",
    "friction": "fricción",
    "evidence": "evidencia",
    "inference": "inferencia",
    "left out": "excluido",
    "across": "de través",
    "along its length": "a lo largo",
    "{value} to {more}": "{value} a {more}",
    "{value} ({low} to {high})": "{value} ({low} a {high})",
    "{number}, counted": "{number}, contados",
    "{value} (told)": "{value} (dato)",
    "{names} and {number} more": "{names} y {number} más",
    # Report: heads
    "How it stood: {names}": "Cómo estaba: {names}",
    "{name}: how it stood": "{name}: cómo estaba",
    "The answer": "La respuesta",
    "How sure it is": "Qué tan seguro es",
    "What speaks against it": "Qué habla en contra",
    "What to check next": "Qué revisar ahora",
    "The question": "La pregunta",
    "The evidence": "La evidencia",
    "What is predicted": "Lo que se infiere",
    "The proposals, and how sure they are": "Las propuestas, y qué tan seguras son",
    "What would change the answer, and what to check next": "Qué cambiaría la respuesta, y qué revisar ahora",
    "How to build it": "Cómo remontarla",
    "Block by block": "Bloque por bloque",
    "A fall that looks like it": "Una caída que se le parece",
    "Method": "Método",
    "What this cannot tell": "Lo que esto no puede decir",
    "What was assumed": "Lo que se supuso",
    "Parameters and versions": "Parámetros y versiones",
    "Written by Anastylosis {version}. A proposal, not a finding: every statement below says how sure it is.": (
        "Escrito por Anastylosis {version}. Es una propuesta de anastilosis, no un hallazgo: cada afirmación dice qué tan "
        "segura es."
    ),
    # Report: first screen
    "Before the last pull these slots were empty: {names}.": (
        "Antes de la última extracción estaban vacíos estos lugares: {names}."
    ),
    "Before the last pull no slot was empty.": "Antes de la última extracción no había ningún lugar vacío.",
    "The tower had {layers} layers; most probably layer {layer} gave way.": (
        "La torre tenía {layers} hiladas; lo más probable es que cediera la hilada {layer}."
    ),
    "Most probably {block} was pulled last, {way}.": "Lo más probable es que al final se sacara {block}, {way}.",
    "{chance} of all towers that agree with what lies there; the next proposal has {other}, all other towers {rest}.": (
        "{chance} de todas las torres que concuerdan con el escombro; la propuesta siguiente tiene {other}, todas las demás "
        "torres "
        "{rest}."
    ),
    "{chance} of all towers that agree with what lies there; all other towers {rest}.": (
        "{chance} de todas las torres que concuerdan con el escombro; todas las demás torres, {rest}."
    ),
    "No tower was let fall again, so there is no probability.": "No se dejó caer de nuevo ninguna torre; no hay probabilidad.",
    "Simulated, it {fate}.": "En la simulación, {fate}.",
    "Nothing that was found.": "Nada de lo que se halló.",
    "Every block is as sure as it can be.": "No hay bloque que valga la pena revisar primero.",
    "{block}: it may have stood in {slots}.": "{block}: pudo estar en {slots}.",
    "Table, {number} rows": "Tabla, {number} filas",
    "Inputs, models, options and versions (JSON)": "Datos de partida, modelos, opciones y versiones (JSON)",
    "All results, for programs: reconstruction.json beside this page.": (
        "Todos los resultados, para programas: reconstruction.json, junto a esta página."
    ),
    # Report: evidence
    "These blocks lie where a structure fell. Which block stood where, which places were empty already, what gave way?": (
        "Estos bloques yacen donde cayó una construcción. ¿Qué bloque estaba dónde, qué lugares estaban ya vacíos, qué cedió?"
    ),
    "{number} blocks:": "{number} bloques:",
    "in their slots;": "en su lugar;",
    "{number} fell and are put back by inference": "{number} cayeron y se reponen por inferencia",
    "; {number} left out.": "; {number} excluidos.",
    "{number} still stand": "{number} siguen en pie",
    "{number} still stands": "{number} sigue en pie",
    "{standing} (least sure: {name}, {chance})": "{standing} (el menos seguro: {name}, {chance})",
    # Report: predictions
    "value (nine in ten)": "valor (nueve de diez)",
    "typical, in the paper": "típico, en el artículo",
    "typical, in the paper: {value}": "típico, en el artículo: {value}",
    "blocks found": "bloques hallados",
    "blocks taken out": "bloques extraídos",
    "blocks taken out ({code})": "bloques extraídos ({code})",
    "slots most probably empty": "lugares vacíos más probables",
    "slots most probably empty ({code})": "lugares vacíos más probables ({code})",
    "balance": "equilibrio",
    "balance ({code})": "equilibrio ({code})",
    "dangerous moves": "extracciones peligrosas",
    "dangerous moves ({code})": "extracciones peligrosas ({code})",
    "layer that gave way": "hilada que cedió",
    "layer that gave way ({code})": "hilada que cedió ({code})",
    "what still stands is evidence, the rest inference": "lo que sigue en pie es evidencia; lo demás, inferencia",
    "gone before the fall": "faltaban antes de la caída",
    "0 to 1, for each slot": "0 a 1, para cada lugar",
    "where blocks were taken out": "de dónde se sacaron bloques",
    "0 to 30 mm, of another kind": "0 a 30 mm, de otra clase",
    "its centre of weight, seen from above; outside, it tips": "su centro de peso, visto desde arriba; fuera, se vuelca",
    "pulls across a block's length": "extracciones de través al bloque",
    "the lowest that did; 0 is on the floor": "la más baja que cedió; la 0 está en el piso",
    "coefficient, block on block": "coeficiente, de bloque con bloque",
    "height before the fall": "altura antes de la caída",
    "{value} mm inside the edge of its foot": "{value} mm por dentro del borde de su pie",
    "{value} mm outside the edge of its foot": "{value} mm por fuera del borde de su pie",
    "nothing is under it": "no tiene nada debajo",
    "the net does not know such a heap, do not trust it": "la red no conoce un escombro así; no confíe en este valor",
    # Report: proposals
    "A name such as L03_0 is a slot of the tower: layer 3, counted from 0 on the floor, and of its three places the first, 0.": (
        "Un nombre como L03_0 es un lugar de la torre: hilada 3, contada desde la 0 en el piso, y de sus tres posiciones la "
        "primera, 0."
    ),
    "empty slots": "lugares vacíos",
    "probability, of all towers": "probabilidad, de todas las torres",
    "pulled": "extraído",
    "let fall again, it": "al dejarla caer de nuevo",
    "was not let fall again": "no se dejó caer de nuevo",
    "could not be simulated to the end": "no se pudo simular hasta el final",
    "did not fall again": "no volvió a caer",
    "fell again, its heap {distance} mm off": "volvió a caer, con su escombro a {distance} mm",
    "only {number} of its blocks came down, {other} did on the site": (
        "solo cayeron {number} de sus bloques; en el sitio, {other}"
    ),
    "{number} that still stand came down too": "cayeron también {number} que siguen en pie",
    "{number} that still stands came down too": "cayó también {number} que sigue en pie",
    "{number} more proposals, in reconstruction.json": "{number} propuestas más, en reconstruction.json",
    "it was none of these, but a tower that was drawn and not proposed": (
        "no fue ninguna de estas, sino otra de las torres sorteadas"
    ),
    "The map of the slots tells of each slot by itself; a proposal is a whole tower that must stand, so even the first may "
    "fill "
    "a slot that was more probably empty, or the other way round.": (
        "El mapa habla de cada lugar por separado; una propuesta es una torre entera que debe tenerse en pie. Por eso aun "
        "la primera "
        "puede llenar un lugar que más probablemente estaba vacío, o al revés."
    ),
    "{filled} slots were filled and {empty} empty with at least 95 %; the proposals differ about {names}.": (
        "Con al menos 95 %, {filled} lugares estaban llenos y {empty} vacíos; las propuestas difieren en {names}."
    ),
    "{filled} slots were filled and {empty} empty with at least 95 %; the net is less sure about {names}.": (
        "Con al menos 95 %, {filled} lugares estaban llenos y {empty} vacíos; la red está menos segura de {names}."
    ),
    "The fatal pull: {pulls}; of {number} that were tried.": "La extracción fatal: {pulls}; de {number} que se probaron.",
    "{slot} across {chance}": "{slot} de través {chance}",
    "{slot} along its length {chance}": "{slot} a lo largo {chance}",
    # Report: checks
    "Blocks whose true slot would tell most about which proposal is right, the most telling first. One bit would halve the "
    "proposals that are left, 0 bits would leave them as they are.": (
        "Bloques cuyo lugar verdadero diría más sobre qué propuesta es la correcta, primero el que más diría. Un bit "
        "reduciría a la "
        "mitad las propuestas restantes; 0 bits las dejaría igual."
    ),
    "look at": "revisar",
    "tells, bits": "dice, bits",
    "it may have stood in": "pudo estar en",
    "The height was inferred: {heights}. Another one changes every slot above it.": (
        "La altura se infirió: {heights}. Otra altura cambia todos los lugares de arriba."
    ),
    "{number} layers": "{number} hiladas",
    "Friction was told as {range}; {tried}. {narrows}": "La fricción se dio como {range}; {tried}. {narrows}",
    "Friction was not told; {tried}. {narrows}": "La fricción no se dio; {tried}. {narrows}",
    "{range} were tried": "se probó de {range}",
    "none was tried": "no se probó ninguna",
    "A measured one narrows what falls how.": "Una medida acotaría qué cae y cómo.",
    "An exact one narrows what falls how.": "Una exacta acotaría qué cae y cómo.",
    "Anything that tells whether {names} were filled: marks of load, dust, photographs.": (
        "Todo lo que diga si {names} estaban llenos: huellas de carga, polvo, fotografías."
    ),
    # Report: building
    "No order of building was asked for.": "No se pidió un orden de remontaje.",
    "what stands": "lo que está en pie",
    "not found": "no hallado",
    "with a prop": "con un puntal",
    "bears, g": "aguanta, g",
    "margin, mm": "margen, mm",
    "Every step of the first proposal is checked for equilibrium, with a friction of {friction}, {source}. Bears: the "
    "largest level "
    "shaking, in shares of g; margin: how far the weight above the weakest joint is from tipping. A block that was not "
    "found has to "
    "be found, or made.": (
        "En la primera propuesta se revisa el equilibrio de cada paso, con fricción {friction}, {source}. Aguanta: la mayor "
        "sacudida "
        "horizontal, en partes de g; margen: cuánto le falta para volcarse al peso sobre la junta más débil. Un bloque que "
        "no se "
        "halló hay que hallarlo, o labrarlo."
    ),
    "the lower end of what the net says": "el extremo bajo de lo que dice la red",
    "the lower end of what was told": "el extremo bajo de lo que se dio",
    "as told": "la dada",
    # Report: blocks
    "is there": "está ahí",
    "stood there": "estaba ahí",
    "basis": "base",
    "or else": "o bien",
    "why": "por qué",
    "it still stands there": "sigue en pie ahí",
    "it seems to stand there still, {chance} sure": "parece seguir en pie ahí, {chance} seguro",
    "it seems to stand still, but the first proposal is without it": (
        "parece seguir en pie, pero la primera propuesta no lo incluye"
    ),
    "{block} fits better into {slot}": "{block} va mejor en {slot}",
    "{slot} is needed for {block}": "{slot} hace falta para {block}",
    "layer {layer} could not have borne what is above it without": "sin él, la hilada {layer} no habría aguantado lo de arriba",
    "{slot} is of a block that was not found in this proposal": "en esta propuesta {slot} es de un bloque que no se halló",
    "{slot} is empty in this proposal": "en esta propuesta {slot} está vacío",
    "others fit better into the slots that it may have stood in": "otros van mejor en los lugares donde pudo estar",
    "it was set aside, so where it lies says nothing": "se apartó; dónde yace no dice nada",
    "it lies in a row, laid out and not fallen, so where it lies says nothing": (
        "está en fila, acomodado y no caído; dónde yace no dice nada"
    ),
    "its size, {sides} mm, fits no slot": "su tamaño, {sides} mm, no corresponde a ningún lugar",
    "it more probably stood in none of the slots": "lo más probable es que no estuviera en ningún lugar",
    "there are more blocks than slots, and others fit better": "hay más bloques que lugares, y otros van mejor",
    "it is in the air, and nothing is under it": "está en el aire, sin nada debajo",
    "it is said to be where another block is": "se dice que está donde hay otro bloque",
    # Report: retrieval
    "Retrieved: {fall}. A story to compare with; it changes no probability.": (
        "Recuperada: {fall}. Sirve para comparar; no cambia ninguna probabilidad."
    ),
    "nothing: the library has no fall": "ninguna: la colección no tiene caídas",
    "looked up by name": "buscada por su nombre",
    "the nearest by count": "la más cercana por número",
    "the longest game": "el juego más largo",
    "{distance} mm off": "a {distance} mm",
    "{name}, the nearest by count, slots, layer, friction and heap, {distance} mm off": (
        "{name}, la más cercana por número, lugares, hilada, fricción y escombro, a {distance} mm"
    ),
    "not looked up by name, as asked": "sin buscarla por su nombre, como se pidió",
    "the input is not one of the library's own falls": "lo dado no es una de las caídas de la colección",
    "the input is not one of the library's own falls, so the most alike was taken": (
        "lo dado no es una de las caídas de la colección; se tomó la más parecida"
    ),
    # Report: method
    "Blocks that are in a slot on others that are still stand: that is evidence, and nothing moves them.": (
        "Los bloques que están en su lugar sobre otros que también lo están siguen en pie: eso es evidencia, y nada los mueve."
    ),
    "A trained net says of every other block in which slots it may have stood, with probabilities.": (
        "Una red entrenada dice de cada uno de los demás bloques en qué lugares pudo estar, con probabilidades."
    ),
    "Complete towers are drawn from these probabilities; those that rigid-block statics rules out are dropped.": (
        "Con esas probabilidades se sortean torres completas; se descartan las que la estática de bloques rígidos excluye."
    ),
    "The fatal pull is proposed from a model of fatal pulls, and the likeliest are tried.": (
        "La extracción fatal se propone con un modelo de extracciones fatales, y se prueban las más probables."
    ),
    "Each proposed tower is built in the simulator, pulled at, and left to fall. Its heap is compared with the surveyed one.": (
        "Cada torre propuesta se arma en el simulador, se le saca el bloque y se deja caer. Su escombro se compara con el "
        "levantado."
    ),
    "A proposal is as probable as its share of the draws. Those that fall again come first, then the more probable ones.": (
        "Una propuesta es tan probable como su parte de los sorteos. Primero van las que vuelven a caer, luego las más probables."
    ),
    "How near its heap is counts for next to nothing: where truth was known, heaps of wrong towers came as near as those of "
    "right ones. It shows whether and how a proposal falls.": (
        "La cercanía de su escombro casi no cuenta: donde se sabía la verdad, los escombros de torres equivocadas quedaban "
        "tan cerca "
        "como los de las correctas. Muestra si una propuesta cae, y cómo."
    ),
    # Report: limits
    "Re-simulation tells the layer that gave way and what was below it; above it the same tower falls otherwise when its "
    "blocks are moved by a tenth of a millimetre, so details up there rest on the net alone.": (
        "La resimulación dice qué hilada cedió y qué había debajo; más arriba la misma torre cae de otro modo si sus "
        "bloques se mueven "
        "una décima de milímetro, así que allí los detalles dependen solo de la red."
    ),
    "Blocks are alike: that two of them are exchanged changes no heap, and re-simulation cannot tell them apart.": (
        "Los bloques son iguales: intercambiar dos no cambia el escombro, y la resimulación no puede distinguirlos."
    ),
    "A tower whose blocks had shifted before it fell is proposed with its blocks in their slots; some that fell do not fall "
    "so.": (
        "Una torre cuyos bloques se habían movido antes de caer se propone con ellos en su lugar; algunas que cayeron no "
        "caen así."
    ),
    "Probabilities of proposals are shares of the towers that the net's answer allows; how it stood may be none of them.": (
        "Las probabilidades de las propuestas son partes de las torres que la respuesta de la red permite; puede no ser ninguna."
    ),
    "The net and the re-simulation know one engine; debris of another one, or of stone, they know less well.": (
        "La red y la resimulación conocen un solo motor de física; el escombro de otro, o de sillares de piedra, lo conocen "
        "menos."
    ),
    # Report: assumptions
    "Blocks of 81 x 26 x 18 mm in courses of three, crossed; the foot and the direction of the bottom course as the survey "
    "says.": (
        "Bloques de 81 x 26 x 18 mm en hiladas de tres, cruzadas; el pie y la dirección de la hilada de base, según el "
        "levantamiento."
    ),
    "One hand pulled one block, along its length or across it, at 0.2 m/s, and the tower was at rest before. If the hand had "
    "carried the block off when the tower fell, one slot more was filled than is said.": (
        "Una mano sacó un bloque, a lo largo o de través, a 0.2 m/s, y la torre estaba en reposo. Si la mano se llevó el "
        "bloque cuando "
        "la torre cayó, había un lugar lleno más de lo que se dice."
    ),
    "Blocks differ as those of the learning mix: restitution 0.05 to 0.30, friction by 15 %, mass by 5 %, size by 0.1 mm, "
    "place "
    "by 0.2 mm.": (
        "Los bloques varían como los del aprendizaje: restitución 0.05 a 0.30, fricción 15 %, masa 5 %, tamaño 0.1 mm, "
        "posición 0.2 mm."
    ),
    "Films beside this page: {names}.": "Videos junto a esta página: {names}.",
    "There is no film beside this page.": "No hay video junto a esta página.",
    "What was given, and what is predicted": "Lo que se dio, y lo que se infiere",
    "The first proposals": "Las primeras propuestas",
    # Panel
    "What was given: evidence": "Lo que se dio: evidencia",
    "Inference: what is predicted": "Inferencia: lo que se deduce",
    "Inference: was empty, %": "Inferencia: estaba vacío, %",
    "Brackets: where the truth was nine times in ten. Map: the redder, the more probably the slot was empty before the fall; "
    "L03 and _2 are slot L03_2.\n"
    "☆ the slots most probably empty, as many as are said to have been gone. Count, slots, layer and friction are read from "
    "where the blocks lie;\n"
    "dangerous moves by the picture net, from the heap as its camera would see it. Balance: of the first proposal; in files "
    "it is called imbalance, and inside is\n"
    "below 0. The paper's range is of an offset, which cannot be compared with it.": (
        "Paréntesis: donde estuvo la verdad nueve de cada diez veces. Mapa: más rojo, más probable que el lugar estuviera "
        "vacío antes de "
        "caer; L03 y _2 son L03_2.\n"
        "☆ los lugares vacíos más probables, tantos como se dice que faltaban. Número, lugares, hilada y fricción se leen "
        "de dónde yacen "
        "los bloques;\n"
        "las extracciones peligrosas, de la imagen del escombro por la red. Equilibrio: de la primera propuesta; en los "
        "archivos se "
        "llama imbalance,\n"
        "y por dentro es menor que 0. El intervalo del artículo es de un desfase, que no se puede comparar con él."
    ),
    # Pictures and films
    "What lies there": "Lo que yace",
    "evidence (pale: unsure)": "evidencia (pálido: inseguro)",
    "filled, block not found": "lleno, bloque no hallado",
    "still stands (pale: unsure)": "sigue en pie (pálido: inseguro)",
    "fell": "cayó",
    "not put back": "no se repone",
    "was empty": "estaba vacío",
    "inference: simulated": "inferencia: simulado",
    "taken out, as proposed": "extraído, según la propuesta",
    "last to fall": "el último en caer",
    "inference: that there was a block in this slot": "inferencia: que había un bloque en este lugar",
    "inference: that this block stood in its slot": "inferencia: que este bloque estaba en su lugar",
    "evidence: the blocks that were found": "evidencia: los bloques que se hallaron",
    "was empty, %": "estaba vacío, %",
    "★ most probably empty": "★ vacíos más probables",
    "inference, from where the blocks lie": "inferencia, de dónde yacen los bloques",
    "blocks taken out before the fall: {value}": "bloques extraídos antes de caer: {value}",
    "gave way: layer {layer} ({chance})": "cedió: hilada {layer} ({chance})",
    "dangerous moves: {value}": "extracciones peligrosas: {value}",
    "its weight: {place}": "su peso: {place}",
    "friction: {value}": "fricción: {value}",
    "friction {value} (told)": "fricción {value} (dato)",
    "The most probable": "La más probable",
    "the most probable tower": "la torre más probable",
    "Proposal {rank}: {chance}": "Propuesta {rank}: {chance}",
    "empty: {names}": "vacíos: {names}",
    "{block} pulled: {fate}": "{block} extraído: {fate}",
    "proposal {rank} of {count}": "propuesta {rank} de {count}",
    "proposal {rank} of {count}, {chance}": "propuesta {rank} de {count}, {chance}",
    "{tower}, let fall again": "{tower}, caída de nuevo",
    "this very game, {name}": "este mismo juego, {name}",
    "a game that looks alike, {name}": "un juego que se parece, {name}",
    "▶ {title}": "▶ {title}",
    "◀ backwards: {title}": "◀ hacia atrás: {title}",
    "Before the first round": "Antes de la primera extracción",
    "Round {number} of {count}": "Extracción {number} de {count}",
    "round {number} of {count}": "extracción {number} de {count}",
    "Undoing round {number} of {count}": "Se deshace la extracción {number} de {count}",
    "All is undone": "Todo deshecho",
    "{count} slots, all filled.": "{count} lugares, todos llenos.",
    "The tower as it was built.": "La torre como se construyó.",
    "A tower, settled.": "Una torre, en reposo.",
    "{slot} is taken out; in which order is not known.": "Se saca {slot}; no se sabe en qué orden.",
    "{slot} goes back.": "{slot} vuelve a su lugar.",
    "{block} is pulled {way}, and the tower falls.": "Se saca {block} {way}, y la torre cae.",
    "{block} is pulled {way}, and the tower does not fall again.": "Se saca {block} {way}, y la torre no vuelve a caer.",
    "{block} is pulled {way}.": "Se saca {block} {way}.",
    "The blocks rise: the fall, undone.": "Los bloques suben: la caída, al revés.",
    "Here the replay is wrong: {names} still stand.": "Aquí la simulación falla: {names} siguen en pie.",
    "Here the replay is wrong: {names} still stands.": "Aquí la simulación falla: {names} sigue en pie.",
    "Only {number} of its blocks came down, {other} did on the site.": (
        "Solo cayeron {number} de sus bloques; en el sitio, {other}."
    ),
    "How it stood": "Cómo estaba",
    "How it stood, by this proposal": "Cómo estaba, según esta propuesta",
    "the fall before this was {title}": "la caída anterior fue {title}",
    "Before the last pull; empty: {names}.": "Antes de la última extracción; vacíos: {names}.",
    "to be put up: {tower}": "por remontar: {tower}",
    "{count} blocks, as surveyed.": "{count} bloques, según el levantamiento.",
    "Step {number} of {count}": "Paso {number} de {count}",
    "bears {value} g of shaking at friction {friction}": "aguanta sacudidas de {value} g con fricción {friction}",
    "needs a prop": "necesita un puntal",
    "{slot} was filled with {chance}; its block was not found.": "{slot} estaba lleno con {chance}; su bloque no se halló.",
    "{block} to {slot}: {chance} sure that it stood there.": "{block} a {slot}: {chance} seguro que estaba ahí.",
    "Rebuilt": "Remontada",
    "{count} blocks put up.": "{count} bloques remontados.",
    # Screen
    "blocks": "bloques",
    "tower": "torre",
    "gave way": "cedió",
    "95 % sure": "95 % seguro",
    "less sure": "menos seguro",
    "mind": "ojo",
    "fatal pull": "fatal",
    "building": "remontaje",
    "check next": "revisar",
    "retrieved": "recuperada",
    "of none": "de ninguno",
    "told": "dato",
    "told; by the blocks alone {likely}, {chance}": "dato; solo por los bloques, {likely}, {chance}",
    "{value} (told; by the blocks alone {likely}, {chance})": "{value} (dato; solo por los bloques, {likely}, {chance})",
    "inferred, {chance}": "inferida, {chance}",
    "{value} (inferred, {chance})": "{value} (inferida, {chance})",
    "inferred": "inferida",
    "not known": "no se sabe",
    "{count} layers ({source})": "{count} hiladas ({source})",
    "layer {layer}": "hilada {layer}",
    "layer {layer} ({chance})": "hilada {layer} ({chance})",
    "{blocks}: {standing}, {back} are put back, {left} left out": "{blocks}: {standing}, {back} se reponen, {left} excluidos",
    "pulled {slot} along x, {fate}": "se sacó {slot} en x, {fate}",
    "pulled {slot} along y, {fate}": "se sacó {slot} en y, {fate}",
    "and empty: {names}": "y vacíos: {names}",
    "no other": "ningún otro",
    "{count} proposals more, in reconstruction.json": "{count} propuestas más, en reconstruction.json",
    "{count} proposal more, in reconstruction.json": "{count} propuesta más, en reconstruction.json",
    "{filled} slots filled, {empty} empty": "{filled} lugares llenos, {empty} vacíos",
    "{pulls}; of {number} that were tried": "{pulls}; de {number} que se probaron",
    "{count} blocks; every step stands, the least safe with {slot}: {safety} g at friction {friction}": (
        "{count} bloques; todos los pasos se tienen en pie, el menos seguro con {slot}: {safety} g con fricción {friction}"
    ),
    "{count} blocks; {loose} of them with a prop, the least safe with {slot}: {safety} g at friction {friction}": (
        "{count} bloques; {loose} con puntal, el menos seguro con {slot}: {safety} g con fricción {friction}"
    ),
    "{count} steps": "{count} pasos",
    "{count} step": "{count} paso",
    "A tower of {layers} layers fell; no model has seen it. Told that height, and shown what lies there:": (
        "Cayó una torre de {layers} hiladas que ningún modelo ha visto. Con esa altura dada, y con lo que yace a la vista:"
    ),
    "how did it stand?": "¿cómo estaba?",
    "Empty slots are those before the last pull: the block that was pulled then still stood in its own.": (
        "Los lugares vacíos son los de antes de la última extracción: el bloque que se sacó entonces aún estaba en el suyo."
    ),
    "Look at:": "Vea:",
    "how it may have fallen, what is predicted, and all of it backwards": "cómo pudo caer, lo que se infiere, y todo al revés",
    "block after block goes back to its slot": "bloque tras bloque vuelve a su lugar",
    "all of it on one page": "todo en una página",
    "from one picture": "de una foto",
    "from a survey": "del levantamiento",
    "in truth": "en verdad",
    "blocks gone before": "faltaban antes",
    "block pulled last": "último extraído",
    "empty slots found": "lugares vacíos hallados",
    "blocks in their slots": "bloques en su lugar",
    "{number} stood": "había {number}",
    "{number} were": "eran {number}",
    "{right} of {count}, and {wrong} wrong": "{right} de {count}, y {wrong} mal",
    "{right} of {count} right": "{right} de {count} bien",
    "empty by the picture": "vacíos por la foto",
    "empty by the survey": "vacíos por levantamiento",
    "empty in truth": "vacíos en verdad",
    # Warnings
    "as every block is said to be surveyed, {count} slots were empty before the fall; from how the blocks lie {low} to "
    "{high} would "
    "be expected, so look whether some are missing": (
        "como se dice que todos los bloques están levantados, {count} lugares estaban vacíos antes de caer; por cómo yacen se "
        "esperarían {low} a {high}, así que vea si faltan algunos"
    ),
    "the model knows towers of {fewest} to {most} layers, not of {layers}": (
        "el modelo conoce torres de {fewest} a {most} hiladas, no de {layers}"
    ),
    "{layers} layers are only {chance} probable; tell the height if you know it": (
        "que fueran {layers} hiladas solo tiene {chance} de probabilidad; dé la altura si la sabe"
    ),
    "{layers} layers are only {chance} probable; tell the height if you know it (--layers)": (
        "que fueran {layers} hiladas solo tiene {chance} de probabilidad; dé la altura si la sabe (--layers)"
    ),
    "{names} lie in a row, evenly apart: laid out, not fallen. They are put back nowhere; declare it (state: set aside), or "
    "move the "
    "row's blocks out of the survey": (
        "{names} están en fila, a distancias iguales: acomodados, no caídos. No se reponen; declárelo (state: set aside), o "
        "quite "
        "del levantamiento los bloques de la fila"
    ),
    "blocks of {size} have other proportions than any that were measured; what is said of them is less sure than it says": (
        "los bloques de {size} tienen otras proporciones que los medidos; lo que se dice de ellos es menos seguro de lo que "
        "indica"
    ),
    "{layers} layers are told, and the blocks speak for {likely}; if the height is wrong, so are most slots below": (
        "se dieron {layers} hiladas, y los bloques hablan de {likely}; si la altura está mal, también la mayoría de los lugares"
    ),
    "{blocks} blocks for {slots} slots: what was not found is taken for removed, and probabilities are less sure than they "
    "say if "
    "many blocks are missing": (
        "{blocks} bloques para {slots} lugares: lo que no se halló se toma por extraído, y si faltan muchos bloques las "
        "probabilidades son menos seguras de lo que indican"
    ),
    "{blocks} blocks are more than the {slots} slots of {layers} layers; some are left out": (
        "{blocks} bloques son más que los {slots} lugares de {layers} hiladas; algunos se excluyen"
    ),
    "friction {value} is outside what the model knows, {low} to {high}": (
        "la fricción {value} está fuera de lo que el modelo conoce, {low} a {high}"
    ),
    "the model learned from surveys good to {millimetres} mm and {degrees} degrees; this one is worse": (
        "el modelo aprendió de levantamientos con error de {millimetres} mm y {degrees} grados; este tiene más"
    ),
    "{block}: {reason}; it is put back nowhere": "{block}: {reason}; no se repone",
    "a drawing of this heap is unlike any that the picture net has learned from (score {score}; known ones are below 1): do "
    "not "
    "trust the number of dangerous moves": (
        "el dibujo de este escombro no se parece a ninguno de los que aprendió la red (valor {score}; los conocidos quedan "
        "bajo 1): no "
        "confíe en el número de extracciones peligrosas"
    ),
    "no state that was drawn could have stood by statics; was the tower perhaps of another height?": (
        "por estática no pudo tenerse en pie ninguna de las torres sorteadas; ¿tendría la torre otra altura?"
    ),
    "no re-simulated tower fell, so the first proposal did not fall again either; what re-simulation says of this heap is worth "
    "little": (
        "ninguna torre resimulada cayó, así que tampoco la primera propuesta; lo que la resimulación dice de este escombro vale "
        "poco"
    ),
    "fewer than {number} blocks still stand where they stood, so nothing here confirms origin and heading": (
        "menos de {number} bloques siguen en pie en su lugar, así que nada aquí confirma el origen ni el rumbo"
    ),
    "turned by 90 degrees the blocks would fit their slots better ({other} sure, not {chance}), and too few still stand to "
    "tell; is the heading right?": (
        "girados 90 grados, los bloques encajarían mejor en sus lugares (seguridad {other}, no {chance}), y muy pocos siguen en "
        "pie para decidirlo; ¿es correcto el rumbo?"
    ),
    "friction may have been below {least}, the least that the model knows ({low} to {high} by how the blocks lie): blocks slide "
    "far then, and in debris of another engine about four in ten of the fallen ones got a wrong slot": (
        "la fricción pudo ser menor que {least}, la mínima que el modelo conoce ({low} a {high}, por cómo yacen los bloques): "
        "entonces los bloques resbalan lejos, y en el escombro de otro motor unos cuatro de cada diez caídos quedaron en un "
        "lugar equivocado"
    ),
    "friction {friction} is low: blocks slide far then, and in debris of another engine about four in ten of the fallen ones got "
    "a wrong slot": (
        "la fricción {friction} es baja: entonces los bloques resbalan lejos, y en el escombro de otro motor unos cuatro de cada "
        "diez caídos quedaron en un lugar equivocado"
    ),
    "no heading was told, so 0 is taken: the bottom blocks along {axis}; if they lay otherwise, tell it": (
        "no se dio el rumbo, así que se toma 0: los bloques de abajo a lo largo de {axis}; si estaban de otro modo, délo"
    ),
    "no heading was told, so 0 is taken: the bottom blocks along {axis}; if they lay otherwise, tell it (--heading)": (
        "no se dio el rumbo, así que se toma 0: los bloques de abajo a lo largo de {axis}; si estaban de otro modo, délo "
        "(--heading)"
    ),
    "the x axis": "el eje x",
    "the long side of the printed target": "el lado largo del patrón impreso",
    "the most probable tower, {chance}, is proposal {rank}: those before it agree better, when let fall again, with what "
    "lies and "
    "stands there": (
        "la torre más probable, {chance}, es la propuesta {rank}: al dejarlas caer, las anteriores concuerdan mejor con lo "
        "que yace y "
        "lo que sigue en pie"
    ),
    "the first proposal has fewer empty slots than are to be expected: {empty}, not about {expected}; how many were empty "
    "is surer "
    "than which, and the map of slots says how likely each is": (
        "la primera propuesta tiene menos lugares vacíos de lo que se espera: {empty}, no unos {expected}; cuántos es más "
        "seguro que "
        "cuáles, y el mapa dice qué tan probable es cada uno"
    ),
    "the first proposal has more empty slots than are to be expected: {empty}, not about {expected}; how many were empty is "
    "surer "
    "than which, and the map of slots says how likely each is": (
        "la primera propuesta tiene más lugares vacíos de lo que se espera: {empty}, no unos {expected}; cuántos es más "
        "seguro que "
        "cuáles, y el mapa dice qué tan probable es cada uno"
    ),
    "only {count} towers that differ and can have stood were drawn, of {asked} that were asked for": (
        "solo se sortearon {count} torres distintas que pudieran tenerse en pie, de {asked} que se pidieron"
    ),
    "{blocks}: they are {depth} mm deep in each other": "{blocks}: están {depth} mm uno dentro del otro",
    "{block}: it is {height} mm above the ground, and no stone is under it": (
        "{block}: está {height} mm sobre el suelo, sin nada debajo"
    ),
    "{block}: its lowest corner is {depth} mm below the ground": "{block}: su esquina más baja está {depth} mm bajo el suelo",
    "{block}: no other stone lies within {distance} m of it": "{block}: no hay otro bloque a menos de {distance} m",
}
