// Loads Python, and passes requests to toolglean and its answers back. Does not depend on what is requested
// (src/toolglean/kit/replay/request.py), or on how the answer is shown.
//
// At the first visit Python is started, toolglean is imported and reads one shipped turn; then the memory is kept in the
// browser's cache, before any turn of the visitor's is in it. Later visits continue from there, which takes a tenth of the
// time. The name of that memory is the digest of toolglean and Pyodide (docs/make_playground.py): another release starts
// anew. A browser that does not keep it, or kept it badly, starts Python each time.
import { loadPyodide } from "./pyodide/pyodide.mjs";

const MODULE = "toolglean.kit.replay.request";
const WHEEL = "/toolglean.whl"; // Python reads modules from the wheel as it is: it is a ZIP archive
const PAGE = 65536; // bytes: WebAssembly's unit of memory
const STORE = "toolglean-playground";
const digest = self.location.search.slice(1);
const indexURL = new URL("./pyodide/", self.location.href).href;

async function wheel() {
  const answer = await fetch(`toolglean.whl?${digest}`);
  if (!answer.ok) throw new Error(`toolglean.whl: ${answer.status} ${answer.statusText}`);
  return new Uint8Array(await answer.arrayBuffer());
}

// The memory that was kept; null if there is none, or no cache (on an insecure address, for one).
async function kept() {
  try {
    const found = await (await caches.open(STORE)).match(digest);
    return found ? new Uint8Array(await found.arrayBuffer()) : null;
  } catch {
    return null;
  }
}

async function keep(memory) {
  try {
    const store = await caches.open(STORE);
    for (const old of await store.keys()) await store.delete(old);
    await store.put(digest, new Response(memory));
  } catch {
    // No room, or no cache: the next visit takes as long as this one.
  }
}

async function forget() {
  try {
    await caches.delete(STORE);
  } catch {
    // There is no cache, and nothing to forget.
  }
}

// Pyodide copies the memory into a new instance, whose own is as small as at the first start: it must grow first.
function growTo(bytes) {
  for (const name of ["instantiateStreaming", "instantiate"]) { // the second if the server does not know WebAssembly
    const instantiate = WebAssembly[name];
    WebAssembly[name] = async (...given) => {
      const made = await instantiate.apply(WebAssembly, given);
      const memory = made.instance?.exports.memory;
      const missing = memory ? Math.ceil((bytes - memory.buffer.byteLength) / PAGE) : 0;
      if (missing > 0) memory.grow(missing);
      return made;
    };
  }
}

async function continued(memory, archive) {
  growTo(memory.byteLength);
  const python = await loadPyodide({ indexURL, _loadSnapshot: memory });
  python.FS.writeFile(WHEEL, archive); // files are not part of the memory
  return python;
}

async function started(archive) {
  const python = await loadPyodide({ indexURL, _makeSnapshot: true });
  python.FS.writeFile(WHEEL, archive);
  python.runPython(`import sys; sys.path.insert(0, "${WHEEL}")`);
  const request = python.pyimport(MODULE);
  request.answer(request.first_request());
  request.destroy();
  await keep(python.makeMemorySnapshot());
  return python;
}

const ready = (async () => {
  const [memory, archive] = await Promise.all([kept(), wheel()]);
  if (memory) {
    try {
      return (await continued(memory, archive)).pyimport(MODULE);
    } catch {
      await forget();
    }
  }
  return (await started(archive)).pyimport(MODULE);
})();

self.onmessage = async ({ data: request }) => {
  try {
    self.postMessage({ answer: (await ready).answer(request) });
  } catch (error) {
    self.postMessage({ failed: String(error.message ?? error) });
  }
};

ready.then(
  () => self.postMessage({ ready: true }),
  (error) => self.postMessage({ failed: String(error.message ?? error) }),
);
