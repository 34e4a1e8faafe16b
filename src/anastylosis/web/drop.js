// Files that are dropped anywhere on the page go where those of the upload button go.
// WORDS: what is said meanwhile; TAB: the name of the tab that has the button, which is turned to.
if (window.anastylosisDrop) {
  window.anastylosisDrop.textContent = WORDS; // another language
  window.anastylosisDrop.dataset.tab = TAB;
  return;
}
const sheet = document.createElement("div");
sheet.textContent = WORDS;
sheet.dataset.tab = TAB;
sheet.style.cssText =
  "position:fixed;inset:0;z-index:10000;display:none;align-items:center;justify-content:center;pointer-events:none;" +
  "font:600 1.4em sans-serif;color:#964c14;background:rgba(255,250,245,.85);border:.25em dashed #964c14;box-sizing:border-box";
document.body.appendChild(sheet);
window.anastylosisDrop = sheet;

const show = (wanted) => (sheet.style.display = wanted ? "flex" : "none");
const carriesFiles = (event) => event.dataTransfer !== null && event.dataTransfer.types.includes("Files");

const findTab = () => [...document.querySelectorAll("[role=tab]")].find((tab) => tab.textContent.trim() === sheet.dataset.tab);
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
  const item = [...event.dataTransfer.items].find((each) => each.kind === "file");
  const entry = item?.webkitGetAsEntry();
  if (!item || entry?.isFile === false) return; // folders cannot be read as files
  turnToTab();
  give(item.getAsFile(), 20);
});
