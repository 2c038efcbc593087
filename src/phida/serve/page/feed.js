// The connection to the server, made again whenever it breaks.

export function listen({ onSnapshot, onTrail, onLink }) {
  let source = null;
  let again = null;
  const connect = () => {
    source = new EventSource("/events");
    source.onopen = () => onLink(true);
    source.addEventListener("snapshot", (event) => onSnapshot(JSON.parse(event.data)));
    source.addEventListener("trail", (event) => onTrail(JSON.parse(event.data)));
    source.onerror = () => {
      onLink(false);
      source.close(); // the browser's own patience differs from one to the next
      clearTimeout(again);
      again = setTimeout(connect, 1000);
    };
  };
  connect();
  addEventListener("pagehide", () => source.close());
  addEventListener("pageshow", (event) => event.persisted && connect());
}

async function answer(response) {
  const facts = await response.json().catch(() => ({}));
  if (!response.ok) throw new Error(facts.error ?? `the server answered ${response.status}`);
  return facts;
}

export const get = async (path) => answer(await fetch(path));
export const post = async (path) => answer(await fetch(path, { method: "POST" }));
