// SPDX-License-Identifier: Apache-2.0
// Numbers, times and values as people read them.
import type { Json } from "./types";

export function seconds(value: number | null | undefined): string {
  if (value === null || value === undefined || !isFinite(value)) return "–";
  if (value < 10) return `${value.toFixed(value < 1 ? 2 : 1)} s`;
  if (value < 60) return `${Math.round(value)} s`;
  const whole = Math.round(value);
  if (whole < 3600) return `${Math.floor(whole / 60)} min ${whole % 60} s`;
  if (whole < 86400) return `${Math.floor(whole / 3600)} h ${Math.floor((whole % 3600) / 60)} min`;
  return `${Math.floor(whole / 86400)} d ${Math.floor((whole % 86400) / 3600)} h`;
}

export function age(iso: string): string {
  const since = (Date.now() - Date.parse(iso)) / 1000;
  if (!isFinite(since)) return "–";
  if (since < 60) return "just now";
  if (since < 3600) return `${Math.floor(since / 60)} min ago`;
  if (since < 86400) return `${Math.floor(since / 3600)} h ago`;
  return `${Math.floor(since / 86400)} d ago`;
}

export function grouped(value: number): string {
  return value.toLocaleString("en-US");
}

// "1 worker", "3 workers"
export function counted(value: number, what: string): string {
  return `${grouped(value)} ${what}${value === 1 ? "" : "s"}`;
}

// A number of workers, or a range of them.
export function workersText(workers: number | { min: number; max: number }): string {
  return typeof workers === "number" ? counted(workers, "worker") : `${workers.min} to ${counted(workers.max, "worker")}`;
}

export function short(value: number): string {
  const size = Math.abs(value);
  const rounded = (unit: number) => Number((value / unit).toPrecision(3));
  if (size >= 1e9) return `${rounded(1e9)}G`;
  if (size >= 1e6) return `${rounded(1e6)}M`;
  if (size >= 1e4) return `${rounded(1e3)}k`;
  return Number.isInteger(value) ? grouped(value) : String(Number(value.toPrecision(4)));
}

export function bytes(value: number): string {
  if (value < 1024) return `${value} B`;
  const units = ["KiB", "MiB", "GiB", "TiB"];
  let at = -1;
  while (value >= 1024 && at < units.length - 1) {
    value /= 1024;
    ++at;
  }
  return `${value < 10 ? value.toFixed(1) : Math.round(value)} ${units[at]}`;
}

export function metric(value: Json | undefined): string {
  if (typeof value !== "number") return "–";
  if (Number.isInteger(value)) return grouped(value);
  const size = Math.abs(value);
  return size >= 1000 || (size < 0.001 && size > 0) ? value.toPrecision(4) : value.toFixed(4);
}

// A number of a table, or what is added to one: as many digits, and no zeros behind the last.
export function plain(value: Json | undefined, digits = 6): string {
  if (typeof value !== "number") return shown(value);
  const size = Math.abs(value);
  if (size > 0 && (size < 1e-4 || size >= 1e12)) return String(Number(value.toPrecision(3)));
  return value.toLocaleString("en-US", { maximumSignificantDigits: digits });
}

// A setting or a cell: lists with commas, texts as they are.
export function shown(value: Json | undefined): string {
  if (value === null || value === undefined) return "";
  if (typeof value === "string") return value;
  if (typeof value === "number") return Number.isInteger(value) ? grouped(value) : String(value);
  if (Array.isArray(value) && value.every((each) => each === null || typeof each !== "object")) {
    return value.map(shown).join(", ");
  }
  return JSON.stringify(value);
}

export function clock(millis: number): string {
  return new Date(millis).toISOString().slice(11, 23);
}

export function day(iso: string): string {
  return iso ? iso.slice(0, 19).replace("T", " ") : "–";
}
