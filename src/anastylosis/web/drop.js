// Files that are dropped anywhere on the page go where those of the upload button go.
// WORDS: what is said meanwhile (drop), of several files, of a folder; and the name of the tab that has the button (tab).
if (window.anastylosisDrop) {
  window.anastylosisDrop.speak(WORDS); // another language
  return;
}
let words = WORDS;
const colours = "font:600 1.2em sans-serif;color:#964c14;background:rgba(255,250,245,.92);box-sizing:border-box;";
const add = (style) => {
  const part = document.createElement("div");
  part.style.cssText = `position:fixed;z-index:10000;display:none;pointer-events:none;${colours}${style}`;
  return document.body.appendChild(part);
};
const sheet = add("inset:0;align-items:center;justify-content:center;border:.25em dashed #964c14");
const note = add("top:1em;left:50%;transform:translateX(-50%);max-width:90vw;padding:.7em 1em;border:1px solid #964c14;overflow-wrap:anywhere");
note.setAttribute("role", "status");

const speak = (said) => {
  words = said;
  sheet.textContent = said.drop;
};
speak(WORDS);
window.anastylosisDrop = { speak };

const show = (wanted) => (sheet.style.display = wanted ? "flex" : "none");
const PATIENCE = 10000; // [ms] that a note is to be read in
let noted = 0;
function tell(said) {
  note.textContent = said;
  note.style.display = "block";
  clearTimeout(noted);
  noted = setTimeout(() => (note.style.display = "none"), PATIENCE);
}

// A picture of this page that is dragged is called a file, too. Pointers do not move while something is dragged.
let own = false;
window.addEventListener("dragstart", () => (own = true), true);
for (const kind of ["dragend", "pointermove"]) window.addEventListener(kind, () => (own = false), true);
const carriesFiles = (event) => !own && event.dataTransfer !== null && event.dataTransfer.types.includes("Files");

const findTab = () => [...document.querySelectorAll("[role=tab]")].find((tab) => tab.textContent.trim() === words.tab);
const findBox = () => document.querySelector("input[type=file][id^=file_upload_]");
const takesFiles = (box) => !document.getElementById(box.id.replace("file_upload_", ""))?.disabled;

// Turn to the tab with the upload button, wait until it is there, and give it the file.
function give(file, patience) {
  const box = findBox();
  if (box !== null && takesFiles(box)) {
    const one = new DataTransfer();
    one.items.add(file);
    box.files = one.files;
    box.dispatchEvent(new Event("change", { bubbles: true }));
  } else if (box === null && patience > 0) {
    setTimeout(() => give(file, patience - 1), 50);
  }
}

// viser's tabs listen to pointers, which drag them, and to keys.
const turnToTab = () => findTab()?.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", bubbles: true }));

// Without this a browser leaves the page for the file, and with it the visitor's work. dragenter as well: where what is under the
// pointer changes just then, as when a notice goes, the file would be refused.
let hiding = 0;
for (const kind of ["dragenter", "dragover"]) {
  window.addEventListener(kind, (event) => {
    if (!carriesFiles(event)) return;
    event.preventDefault();
    const box = findBox();
    const taken = box === null ? findTab() !== undefined : takesFiles(box);
    event.dataTransfer.dropEffect = taken ? "copy" : "none";
    show(taken);
    clearTimeout(hiding);
  });
}
window.addEventListener("dragleave", () => {
  clearTimeout(hiding);
  hiding = setTimeout(() => show(false), 200); // unless it only went to another part of the page
});
window.addEventListener("drop", (event) => {
  if (!carriesFiles(event)) return;
  event.preventDefault();
  show(false);
  const items = [...event.dataTransfer.items].filter((each) => each.kind === "file");
  const files = items.filter((each) => each.webkitGetAsEntry()?.isFile !== false).map((each) => each.getAsFile());
  if (files.length === 0) {
    if (items.length > 0) tell(words.folder); // folders cannot be read as files
    return;
  }
  if (items.length > 1) tell(words.several.replace("{count}", items.length).replace("{name}", files[0].name));
  turnToTab();
  give(files[0], 20);
});
