// The connection to the server, which reconnects after every failure.

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
      leave(); // browsers differ in how often they reconnect by themselves
      again = setTimeout(connect, 1000);
    };
  };
  // A browser opens few connections per server, so hidden pages release theirs.
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
