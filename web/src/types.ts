// SPDX-License-Identifier: Apache-2.0
// What /api/v1 answers, as far as the screens read it (docs/page.md). Members may be missing: runs
// are shown that have failed, were killed, or come from another version.
export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
export type JsonObject = { [key: string]: Json };

export type State = "running" | "done" | "failed" | "stopped" | "cut off" | "damaged" | "gone";
export type Numbers = Record<string, number>;

export interface Progress {
  step: number;
  steps: number;
  epoch: number;
  epochs: number;
  checkpoint: number;
  trees?: boolean; // Steps and epochs are rounds of trees.
}

export type StreamState = "running" | "paused" | "ended" | "failed" | "cut off";

export interface StreamModel {
  name: string;
  sha256: string;
  folder: string;
  run?: string; // That made it, if it is here.
  trouble?: string; // Why a newer one is not used.
  // Of a shadow: what it differs in from the model.
  rows?: number;
  differ?: number;
  mean_apart?: number;
}

export interface StreamStatus {
  stream: string;
  partition?: number;
  state: StreamState;
  pid: number;
  batches: number;
  rows: number;
  dead: number;
  rows_per_second: number;
  latency_ms?: { p50: number; p99: number };
  waiting: number;
  unit: string;
  in_windows?: number;
  engine?: { address: string; doing: string; counted: number }; // Which runs it by itself.
  join?: { events: string; other: string; waiting: number; held?: string };
  model?: StreamModel;
  shadow?: StreamModel;
  training?: { promoted: number; refused: number; failed: number; running?: number | null };
  partitions?: StreamStatus[];
  error?: string;
}

export interface StreamBatch {
  batch: number;
  partition?: number;
  model: string; // Its SHA-256; empty: none.
  ended: boolean;
  rows?: number;
  dead?: number;
}

export interface DeadLetter {
  batch?: number;
  partition?: number;
  place: string;
  reason: string;
  text?: string;
  hex?: string;
}

export interface StreamPage {
  stream: string;
  folder: string;
  status: StreamStatus;
  batches: StreamBatch[];
  letters: DeadLetter[];
}

export interface RunSummary {
  run: string;
  state: State;
  started: string;
  ended: string;
  tags: string[];
  note: string;
  engine: string | null;
  seconds: number | null;
  progress?: Progress;
  metrics: { test?: Numbers; validation?: Numbers; baseline?: Numbers };
}

export interface RunList {
  folder: string;
  runs: RunSummary[];
  left_out: number;
}

export interface Part {
  name: string;
  began: number;
  ended?: number;
  seconds: number;
  rows?: number;
}

export interface Failure {
  exit: number;
  what: string;
  where?: string;
  why?: string;
  fix?: string;
  kept?: string;
  log?: { path: string; lines: string };
}

export interface Message {
  time: number;
  kind: "note" | "warning" | "failed";
  text: string;
}

export interface Overview {
  run: string;
  name: string;
  state: State;
  started: string;
  ended: string;
  pid: number;
  argv: string[];
  folder: string;
  engine: string | null;
  tags: string[];
  note: string;
  input_bytes: number;
  failure: Failure | null;
  has: { trials: boolean; model: boolean; report: boolean };
  result: {
    metrics?: { test?: Numbers; validation?: Numbers; baseline?: Numbers };
    seconds?: Numbers;
    rows?: number;
    steps?: number;
    workers?: number | { min: number; max: number };
    shards?: number;
    wait_share?: number;
    best_epoch?: number;
    rounds?: number;
    weights_sha256?: string;
    outputs?: string[];
    output_rows?: Numbers;
    model?: string;
    labels?: string[];
    scored?: string;
    baseline_column?: string;
    rows_on_disk_bytes?: number;
    search?: { epochs?: number; rounds?: number };
    memory?: JsonObject;
  };
  parts: Part[];
  now: string;
  percent: number | null;
  progress: Progress | null;
  rows_per_second: number;
  wait_share: number;
  counts: { events: number; checkpoints: number; left_out: number };
  last_event: number;
  behind_bytes: number;
  messages: Message[];
}

export interface CurveData {
  name: string;
  x: (number | null)[];
  y: (number | null)[];
  of: number;
}

export interface Metrics {
  x?: "step" | "round";
  series: CurveData[];
  marks: { step: number; text: string }[];
  behind_bytes: number;
}

export interface RunEvent {
  event: string;
  time: string;
  [field: string]: Json;
}
