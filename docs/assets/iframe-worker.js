/* Run the search from pages that were opened from the disk, where browsers start no worker: its script runs in a hidden frame instead. */
if (location.protocol === "file:") {
  window.IFrameWorker = class extends EventTarget {
    constructor(url) {
      super();
      this.frame = document.createElement("iframe");
      this.frame.hidden = true;
      this.ready = new Promise((resolve) => {
        this.frame.onload = () => {
          const inside = this.frame.contentWindow;
          inside.postMessage = (data) => {
            const event = new MessageEvent("message", { data });
            this.dispatchEvent(event);
            if (this.onmessage) this.onmessage(event);
          };
          const script = inside.document.createElement("script");
          script.src = url;
          script.onload = () => resolve(inside);
          inside.document.body.append(script);
        };
      });
      this.frame.srcdoc = "<!doctype html><body></body>";
      document.body.append(this.frame);
    }
    postMessage(data) {
      this.ready.then((inside) => inside.dispatchEvent(new inside.MessageEvent("message", { data })));
    }
    terminate() {
      this.frame.remove();
    }
  };
  window.Worker = window.IFrameWorker;
}
