// Loads Python, and passes requests to toolglean and its answers back. Does not depend on what is requested
// (src/toolglean/kit/replay/request.py), or on how the answer is shown.
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
