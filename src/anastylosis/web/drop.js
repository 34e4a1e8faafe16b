// Files that are dropped anywhere on the page go where those of the upload button go. WORDS is what is said meanwhile.
if (window.anastylosisDrop) {
  window.anastylosisDrop.textContent = WORDS; // another language
  return;
}
const sheet = document.createElement("div");
sheet.textContent = WORDS;
sheet.style.cssText =
  "position:fixed;inset:0;z-index:10000;display:none;align-items:center;justify-content:center;pointer-events:none;" +
  "font:600 1.4em sans-serif;color:#964c14;background:rgba(255,250,245,.85);border:.25em dashed #964c14;box-sizing:border-box";
document.body.appendChild(sheet);
window.anastylosisDrop = sheet;

const show = (wanted) => (sheet.style.display = wanted ? "flex" : "none");
const carriesFiles = (event) => event.dataTransfer !== null && event.dataTransfer.types.includes("Files");

// The box of the upload button; null: it takes nothing now.
function findBox() {
  const box = document.querySelector("input[type=file][id^=file_upload_]");
  const button = box && document.getElementById(box.id.replace("file_upload_", ""));
  return button && !button.disabled ? box : null;
}

// Without this a browser leaves the page for the file, and with it the visitor's work.
window.addEventListener("dragover", (event) => {
  if (!carriesFiles(event)) return;
  event.preventDefault();
  const taken = findBox() !== null;
  event.dataTransfer.dropEffect = taken ? "copy" : "none";
  show(taken);
});
window.addEventListener("dragleave", (event) => {
  if (event.relatedTarget === null) show(false); // it left the window
});
window.addEventListener("drop", (event) => {
  if (!carriesFiles(event)) return;
  event.preventDefault();
  show(false);
  const box = findBox();
  const item = [...event.dataTransfer.items].find((each) => each.kind === "file");
  const entry = item && item.webkitGetAsEntry();
  if (box === null || !item || (entry && !entry.isFile)) return; // folders cannot be read as files
  const one = new DataTransfer();
  one.items.add(item.getAsFile());
  box.files = one.files;
  box.dispatchEvent(new Event("change", { bubbles: true }));
  const panel = box.closest("[role=tabpanel]"); // to the tab that shows what was given
  const tab = panel && document.getElementById(panel.getAttribute("aria-labelledby"));
  if (tab) tab.click();
});
