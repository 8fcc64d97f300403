// What textual.js leaves to the page around it.

const body = document.body;
const words = document.querySelector("#words");

// Its own ways out: a download from the root of the server in a new window, which browsers block after a while, and
// addresses that stand in the texts of cases.
window.open = (url) => {
  const found = url && new URL(url, location.href);
  if (found && found.origin === location.origin && found.pathname.startsWith("/download/")) {
    const link = document.createElement("a");
    link.href = body.dataset.place + found.pathname.slice(1);
    link.download = "";
    link.click();
  }
  return null;
};

const Plain = window.WebSocket;
window.WebSocket = class extends Plain {
  constructor(url) {
    super(url);
    // The first key is the app's, without a click before it.
    this.addEventListener("message", () => document.querySelector(".xterm-helper-textarea").focus(), { once: true });
    let farewell = "The connection to the server is lost.";
    this.addEventListener("message", (event) => {
      const [kind, told] = typeof event.data === "string" ? JSON.parse(event.data) : [];
      if (kind === "ended") farewell = told || "Until next time.";
    });
    this.addEventListener("close", () => {
      words.textContent = farewell;
      document.querySelector("#again").focus();
    });
  }
};

// It measures the letters as soon as it begins.
const begin = window.onload;
window.onload = null;
window.addEventListener("load", async (event) => {
  const terminal = document.querySelector(".textual-terminal");
  const place = new URL(body.dataset.place + "ws", location.href);
  place.protocol = "ws:";
  terminal.dataset.sessionWebsocketUrl = place.href;
  await Promise.allSettled(["", "bold ", "italic "].map((style) => document.fonts.load(`${style}16px "Roboto Mono"`)));
  try {
    begin.call(window, event);
  } catch (error) {
    words.textContent = `The terminal cannot be drawn here (${error.message}).`;
  }
});
