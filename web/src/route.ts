// SPDX-License-Identifier: Apache-2.0
// The address says which screen is shown, and with which filter: /, /runs/NAME/WHAT,
// /streams/NAME, /compare?run=...
// A report is a file whose address says nothing: it has all screens one below the other, and keeps
// filters to itself.
import { useEffect, useState } from "preact/hooks";
import { report } from "./api";

export interface Route {
  path: string[];
  query: URLSearchParams;
}

let filters = new URLSearchParams(); // Of a report.

export function readRoute(): Route {
  if (report) return { path: ["runs", report.run], query: filters };
  const path = location.pathname.split("/").filter(Boolean).map(decodeURIComponent);
  return { path, query: new URLSearchParams(location.search) };
}

const kMoved = "protium-moved";

export function go(to: string, replace = false): void {
  if (replace) history.replaceState(null, "", to);
  else history.pushState(null, "", to);
  window.dispatchEvent(new Event(kMoved));
  if (!replace) window.scrollTo(0, 0);
}

export function useRoute(): Route {
  const [route, setRoute] = useState(readRoute);
  useEffect(() => {
    const read = () => setRoute(readRoute());
    window.addEventListener("popstate", read);
    window.addEventListener(kMoved, read);
    return () => {
      window.removeEventListener("popstate", read);
      window.removeEventListener(kMoved, read);
    };
  }, []);
  return route;
}

// Changes one parameter of the address, without a step in the history.
export function setQuery(name: string, value: string): void {
  const query = new URLSearchParams(report ? filters : location.search);
  if (value) query.set(name, value);
  else query.delete(name);
  if (report) {
    filters = query;
    window.dispatchEvent(new Event(kMoved));
    return;
  }
  const text = query.toString();
  go(location.pathname + (text ? `?${text}` : ""), true);
}

export function runHref(run: string, screen = ""): string {
  return `/runs/${encodeURIComponent(run)}${screen ? `/${screen}` : ""}`;
}

export function streamHref(stream: string): string {
  return `/streams/${encodeURIComponent(stream)}`;
}

export function compareHref(runs: string[]): string {
  return `/compare?${runs.map((run) => `run=${encodeURIComponent(run)}`).join("&")}`;
}
