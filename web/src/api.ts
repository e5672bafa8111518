// SPDX-License-Identifier: Apache-2.0
// Requests to the server that this page came from, and nothing else.
import { useEffect, useState } from "preact/hooks";

export class Refused extends Error {
  status: number;
  fix: string;
  constructor(status: number, what: string, fix: string) {
    super(what);
    this.status = status;
    this.fix = fix;
  }
}

export async function getJson<T>(path: string): Promise<T> {
  let response: Response;
  try {
    response = await fetch(`/api/v1/${path}`);
  } catch {
    throw new Refused(0, "the server does not answer", "is protium ui still running?");
  }
  const body = await response.json().catch(() => null);
  if (response.ok && body !== null) return body as T;
  const error = (body ?? {}).error ?? {};
  throw new Refused(response.status, error.what ?? `HTTP ${response.status}`, error.fix ?? "");
}

export function runPath(run: string, what = ""): string {
  return `runs/${encodeURIComponent(run)}${what ? `/${what}` : ""}`;
}

export interface Loaded<T> {
  data: T | null;
  error: Refused | null;
}

// Fetches `path` now and whenever `key` changes; what was there before stays until the new is. Where
// requests are slower than changes, one waits and the others are dropped.
export function useJson<T>(path: string | null, key: unknown = 0): Loaded<T> {
  const [loaded, setLoaded] = useState<Loaded<T> & { path: string | null }>({
    data: null,
    error: null,
    path: null,
  });
  useEffect(() => {
    if (path === null) return;
    let current = true;
    getJson<T>(path).then(
      (data) => current && setLoaded({ data, error: null, path }),
      (error: Refused) =>
        current && setLoaded((old) => ({ data: old.path === path ? old.data : null, error, path })),
    );
    return () => {
      current = false;
    };
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
