// SPDX-License-Identifier: Apache-2.0
// The trials of a search, and where their values lie between the ends of an option
// (src/runs/trials).
import { metric, short, shown } from "./format";
import type { Json } from "./types";

export interface Trial {
  trial: number;
  state: "done" | "failed" | "pruned";
  values: Record<string, Json> | string; // As text while the table is not yet written.
  value?: number | null;
  deviation?: number | null;
  measured?: Record<string, number> | null;
  best_epoch?: number;
  pruned_at?: number;
  seconds?: number;
  error?: string;
  metric?: string;
  parent?: number; // Of a population: whose weights it goes on with.
}

export interface Option {
  option: string;
  choices?: Json[];
  low?: number;
  high?: number;
  log?: boolean;
}

export interface Objective {
  metric: string;
  higher_is_better: boolean;
}

export interface Trials {
  trials?: Trial[];
  metric?: string;
  higher_is_better?: boolean;
  best?: number | null;
  front?: number[];
  options?: Option[];
  compared_by?: Objective[];
  running?: { trial: number; values: string }[];
  schedule?: Phase[];
}

export interface Importance {
  trials?: number;
  options?: { option: string; share: number; at: Json[]; value: number[] }[];
  pairs?: { a: string; b: string; value: number[][] }[];
  others?: { metric: string; options: { option: string; share: number }[] }[];
}

// Of a population: with which options the best was trained.
export interface Phase {
  epochs: [number, number];
  trial: number;
  values: Trial["values"];
}

// "train.optimizer.learning_rate" as "optimizer.learning_rate".
export const briefly = (path: string) => path.replace(/^(train|pipeline)\./, "");

export function valueText(value: Json | undefined): string {
  if (Array.isArray(value)) return `[${value.map(valueText).join(", ")}]`;
  return typeof value === "number" ? short(value) : shown(value);
}

export function valuesText(values: Trial["values"] | undefined): string {
  if (values === undefined || values === null || typeof values !== "object") return shown(values);
  return Object.entries(values)
    .map(([path, value]) => `${briefly(path)} ${valueText(value)}`)
    .join(", ");
}

export function inWords(trial: Trial, name: string): string {
  const state = trial.state === "done" ? "" : ` (${trial.state}${trial.pruned_at ? ` at ${trial.pruned_at}` : ""})`;
  return `trial ${trial.trial}: ${name} ${metric(trial.value)}${state}, ${valuesText(trial.values)}`;
}

export function valueOf(trial: Trial, path: string): Json | undefined {
  return typeof trial.values === "object" ? trial.values[path] : undefined;
}

const same = (a: Json, b: Json) => JSON.stringify(a) === JSON.stringify(b);

// Between 0 and 1 from an option's lower end to its upper one, choices in their order; null for a
// trial that lacks the option.
export function placeOf(option: Option, value: Json | undefined): number | null {
  if (value === undefined || value === null) return null;
  if (option.choices) {
    const at = option.choices.findIndex((each) => same(each, value));
    return at < 0 ? null : (at + 0.5) / option.choices.length;
  }
  const { low, high } = option;
  if (typeof value !== "number" || low === undefined || high === undefined) return null;
  if (!(high > low)) return 0.5;
  const share = option.log && low > 0 ? Math.log(value / low) / Math.log(high / low) : (value - low) / (high - low);
  return Math.min(1, Math.max(0, share));
}

// What an axis is marked with: choices, or ends and middle of a range.
export function marksOf(option: Option): { place: number; text: string }[] {
  if (option.choices) {
    return option.choices.map((each, at) => ({ place: (at + 0.5) / option.choices!.length, text: valueText(each) }));
  }
  const low = option.low ?? 0;
  const high = option.high ?? low;
  if (!(high > low)) return [{ place: 0.5, text: short(low) }];
  const middle = option.log && low > 0 ? Math.sqrt(low * high) : (low + high) / 2;
  return [low, Number(middle.toPrecision(3)), high].map((each, at) => ({ place: at / 2, text: short(each) }));
}

export const kLevels = 6;

// The trials with a value, from the best to the worst, each with its sixth: 0 is the best. Less is
// better by size, as in the search itself.
export function leveled(trials: Trial[], higher: boolean): { trial: Trial; level: number }[] {
  const loss = (trial: Trial) => (higher ? -trial.value! : Math.abs(trial.value!));
  const told = trials.filter((trial) => typeof trial.value === "number" && trial.state !== "failed");
  told.sort((a, b) => loss(a) - loss(b) || a.trial - b.trial);
  return told.map((trial, at) => ({ trial, level: Math.floor((at * kLevels) / told.length) }));
}

// The best value of done trials up to each number.
export function bestSoFar(trials: Trial[], higher: boolean): [number, number][] {
  let best: number | null = null;
  const line: [number, number][] = [];
  for (const each of [...trials].sort((a, b) => a.trial - b.trial)) {
    if (each.state !== "done" || typeof each.value !== "number") continue;
    const better = best === null || (higher ? each.value > best : Math.abs(each.value) < Math.abs(best));
    if (better) best = each.value;
    line.push([each.trial, best!]);
  }
  return line;
}
