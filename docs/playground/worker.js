// What this file knows: how Python is loaded, and how a question gets to toolglean and its answer back.
// What it must not know: what is asked (src/toolglean/kit/replay/request.py), and how it is shown.
import { loadPyodide } from "./pyodide/pyodide.mjs";

const ready = (async () => {
  const [python, wheel] = await Promise.all([
    loadPyodide({ indexURL: new URL("./pyodide/", self.location.href).href }),
    fetch("toolglean.whl").then((answer) => {
      if (!answer.ok) throw new Error(`toolglean.whl: ${answer.status} ${answer.statusText}`);
      return answer.arrayBuffer();
    }),
  ]);
  python.unpackArchive(wheel, "wheel"); // it is pure Python, and needs nothing: there is nothing to resolve
  return python.pyimport("toolglean.kit.replay.request");
})();

self.onmessage = async ({ data: request }) => {
  try {
    self.postMessage({ answer: (await ready).answer(request) });
  } catch (error) {
    self.postMessage({ failed: String(error.message ?? error) });
  }
};

ready.then(
  (python) => self.postMessage({ about: python.about() }),
  (error) => self.postMessage({ failed: String(error.message ?? error) }),
);
