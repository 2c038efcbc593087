// The connection to the server, made again whenever it breaks.

export function listen({ onSnapshot, onTrail, onLink }) {
  let source = null;
  let again = null;
  const leave = () => {
    clearTimeout(again);
    source?.close();
    source = null;
  };
  const connect = () => {
    leave();
    source = new EventSource("/events");
    source.onopen = () => onLink(true);
    source.addEventListener("snapshot", (event) => onSnapshot(JSON.parse(event.data)));
    source.addEventListener("trail", (event) => onTrail(JSON.parse(event.data)));
    source.onerror = () => {
      onLink(false);
      leave(); // browsers differ in how often they try again by themselves
      again = setTimeout(connect, 1000);
    };
  };
  // A browser opens few connections to one server, so that pages in the background leave theirs to others.
  document.addEventListener("visibilitychange", () => (document.hidden ? leave() : connect()));
  addEventListener("pagehide", leave);
  addEventListener("pageshow", (event) => event.persisted && connect());
  connect();
}

async function answer(response) {
  const facts = await response.json().catch(() => ({}));
  if (!response.ok) throw new Error(facts.error ?? `the server answered ${response.status}`);
  return facts;
}

export const get = async (path) => answer(await fetch(path));
export const post = async (path) => answer(await fetch(path, { method: "POST" }));
