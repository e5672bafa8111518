// SPDX-License-Identifier: Apache-2.0
// Requests to the server that this page came from, and nothing else. In a report (report.html of a
// run) the answers lie in the file itself.
import { useEffect, useRef, useState } from "preact/hooks";

export interface Report {
  run: string;
  left_out: { what: string; why: string }[];
  answers: Record<string, unknown>; // By what stands behind runs/ID/ in their path.
}

function readReport(): Report | null {
  const text = document.getElementById("report")?.textContent;
  return text ? (JSON.parse(text) as Report) : null;
}

// Null on the page that a server sent.
export const report = readReport();

export class Refused extends Error {
  status: number;
  fix: string;
  constructor(status: number, what: string, fix: string) {
    super(what);
    this.status = status;
    this.fix = fix;
  }
}

function reported(path: string): unknown {
  const what = path.split("?")[0]!.split("/").slice(2).join("/");
  const answer = report!.answers[what];
  if (answer !== undefined) return answer;
  const why = report!.left_out.find((each) => each.what === what)?.why;
  throw new Refused(0, `this report does not include "${what}"${why ? `: ${why}` : ""}`, "protium ui shows it");
}

export async function getJson<T>(path: string): Promise<T> {
  if (report) return reported(path) as T;
  return ask<T>(path, {});
}

// Whether the server changes runs and scores rows; the first answer says so.
export const server = { changes: false };

export function sendJson<T>(method: "POST" | "DELETE", path: string, body?: unknown): Promise<T> {
  if (body === undefined) return ask<T>(path, { method });
  return ask<T>(path, { method, headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) });
}

async function ask<T>(path: string, how: RequestInit): Promise<T> {
  let response: Response;
  try {
    response = await fetch(`/api/v1/${path}`, how);
  } catch {
    throw new Refused(0, "the server does not answer", "is protium ui still running?");
  }
  const body = await response.json().catch(() => null);
  if (response.ok && body !== null) return body as T;
  const error = (body ?? {}).error ?? {};
  const what = error.what ?? `HTTP ${response.status}`;
  throw new Refused(response.status, error.where ? `${what} (${error.where})` : what, error.fix ?? "");
}

export function runPath(run: string, what = ""): string {
  return `runs/${encodeURIComponent(run)}${what ? `/${what}` : ""}`;
}

export interface Loaded<T> {
  data: T | null;
  error: Refused | null;
}

interface Flight {
  path: string | null;
  busy: boolean;
  again: boolean; // Something has changed since the request went out.
}

// A number that counts up every so many milliseconds while somebody looks, and what counts it up at once.
export function useBeat(millis: number): [number, () => void] {
  const [beat, setBeat] = useState(0);
  const next = () => setBeat((old) => old + 1);
  useEffect(() => {
    const timer = setInterval(() => !document.hidden && next(), millis);
    return () => clearInterval(timer);
  }, [millis]);
  return [beat, next];
}

// Fetches `path` now and whenever `key` changes; what was there before stays until the new is. Where
// requests are slower than changes, one waits and the others are dropped.
export function useJson<T>(path: string | null, key: unknown = 0): Loaded<T> {
  const [loaded, setLoaded] = useState<Loaded<T> & { path: string | null }>({
    data: null,
    error: null,
    path: null,
  });
  const flight = useRef<Flight>({ path: null, busy: false, again: false });
  useEffect(() => {
    if (path === null) return;
    if (flight.current.path === path && flight.current.busy) {
      flight.current.again = true;
      return;
    }
    const mine: Flight = { path, busy: false, again: false };
    flight.current = mine;
    const ask = () => {
      mine.busy = true;
      mine.again = false;
      getJson<T>(path)
        .then(
          (data) => ({ data, error: null, path }),
          (error: Refused) => ({ data: null, error, path }),
        )
        .then((now) => {
          mine.busy = false;
          if (flight.current !== mine) return; // Another path is wanted by now.
          setLoaded((old) => (now.error && old.path === path ? { ...now, data: old.data } : now));
          if (mine.again) ask();
        });
    };
    ask();
  }, [path, key]);
  return loaded.path === path ? loaded : { data: null, error: null };
}

// Exchanges the token of the address for a cookie. It stands behind "#", which browsers do not send,
// and is taken out of the address at once.
export async function logIn(token: string): Promise<boolean> {
  const response = await fetch("/login", {
    method: "POST",
    headers: { Authorization: `Bearer ${token}` },
  });
  return response.ok;
}

export async function logInFromAddress(): Promise<void> {
  const found = /^#token=([0-9a-f]+)$/.exec(location.hash);
  if (!found) return;
  history.replaceState(null, "", location.pathname + location.search);
  await logIn(found[1]!).catch(() => false);
}
