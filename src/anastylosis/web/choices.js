// Parts of the page that are chosen by a click: [data-choose] names the choice. It goes into a box of viser's (BOX), which React
// looks after and which nobody sees; the number behind it has the same choice heard twice.
window.anastylosisBox = BOX;
const hidden = document.createElement("style");
hidden.textContent = `div:has(> div > p > label[for="${BOX}"]) { display: none !important }`;
document.head.append(hidden);
if (window.anastylosisChoices !== undefined) return; // another language: the page listens already
window.anastylosisChoices = 0;
const style = document.createElement("style");
style.textContent = `
  [data-choose] { font: inherit; cursor: pointer; background: #fff; color: #222; border: 1px solid #bdb4aa; border-radius: .35em; text-align: left }
  [data-choose]:hover { border-color: #964c14 }
  [data-choose]:focus-visible { outline: 3px solid #d8701f; outline-offset: 1px }
  [data-choose][aria-pressed="true"] { border-color: #964c14; background: #fbeee2; box-shadow: inset 0 0 0 1px #964c14 }
`;
document.head.append(style);
const find = (event) => event.target.closest && event.target.closest("[data-choose]");
function choose(choice, patience) {
  const label = document.querySelector(`label[for="${window.anastylosisBox}"]`); // viser's text boxes have another id
  const box = label && label.parentElement.parentElement.parentElement.querySelector("input");
  if (box) {
    window.anastylosisChoices += 1;
    Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value").set.call(box, `${choice} ${window.anastylosisChoices}`);
    box.dispatchEvent(new Event("input", { bubbles: true }));
  } else if (patience > 0) {
    setTimeout(() => choose(choice, patience - 1), 50);
  }
}
// A card that is drawn anew between the press and the release is still the same card; a click would be lost.
let pressed;
document.addEventListener("pointerdown", (event) => (pressed = find(event)?.dataset.choose), true);
document.addEventListener("pointerup", (event) => {
  const choice = find(event)?.dataset.choose;
  if (choice !== undefined && choice === pressed) choose(choice, 20);
  pressed = undefined;
}, true);
document.addEventListener("click", (event) => {
  const part = event.detail === 0 && find(event); // of the keyboard
  if (part) choose(part.dataset.choose, 20);
});
