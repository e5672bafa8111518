// SPDX-License-Identifier: Apache-2.0
// Who shares this machine, as its pool says: who holds what, who waits, why and for how long, which
// workers are warm. Nothing where no pool is running.
import type { ComponentChildren } from "preact";
import { useJson } from "./api";
import { bytes, counted, seconds } from "./format";
import { Empty, Facts, Link, Panel, Table, Wrong } from "./parts";
import { runHref } from "./route";

interface Claim {
  who: string;
  run?: string;
  workers: number;
  cores: number;
  bytes: number;
  priority: number;
  waits: boolean;
  pausing: boolean;
  shrinks_to: number;
  why: string;
  seconds: number;
}
interface Driver {
  pid: number;
  who: string;
  run?: string;
  workers: number[];
}
interface Zygote {
  program: string;
  torch: boolean;
  ready: boolean;
  warm: number;
  unfit: string;
}
interface Quota {
  cores: number;
  bytes: number;
}
interface Pool {
  pid: number;
  cores: number;
  free_cores: number;
  memory_bytes: number;
  available_bytes: number;
  memory_stall: number;
  replaced: string;
  quotas?: Record<string, Quota | number>;
  claims: Claim[];
  drivers: Driver[];
  zygotes: Zygote[];
}

function stateOf(claim: Claim): string {
  if (claim.waits) return "waits";
  if (claim.workers === 0) return "paused";
  if (claim.pausing) return "pauses after its current step";
  return claim.shrinks_to < claim.workers ? `shrinks to ${claim.shrinks_to} after its current step` : "holds";
}

function Who({ who, run }: { who: string; run?: string }) {
  return run ? <Link href={runHref(run)}>{who}</Link> : <>{who}</>;
}

function warmText(zygote: Zygote): string {
  if (zygote.unfit) return `none: ${zygote.unfit}`;
  return zygote.ready ? `${zygote.warm} warm` : "loading";
}

// A number is of a pool of an earlier build.
function quotaText(quota: Quota | number): string {
  if (typeof quota === "number") return counted(quota, "core");
  return counted(quota.cores, "core") + (quota.bytes > 0 ? ` and ${bytes(quota.bytes)}` : "");
}

function Claims({ claims }: { claims: Claim[] }) {
  if (!claims.length) return <Empty>No gang holds cores or waits for any.</Empty>;
  return (
    <Table
      label="gangs that hold cores, and those that wait"
      rows={claims}
      columns={[
        { name: "gang", wrap: true, cell: (each) => <Who who={each.who} run={each.run} /> },
        { name: "state", cell: stateOf },
        { name: "workers", number: true, cell: (each) => String(each.workers) },
        { name: "cores of each", number: true, cell: (each) => String(each.cores) },
        { name: "memory of each", number: true, cell: (each) => (each.bytes > 0 ? bytes(each.bytes) : "not counted") },
        { name: "priority", number: true, cell: (each) => String(each.priority) },
        { name: "for", number: true, cell: (each) => seconds(each.seconds) },
        { name: "why", wrap: true, cell: (each) => each.why },
      ]}
    />
  );
}

export function Machine({ beat }: { beat: number }) {
  const { data, error } = useJson<{ pool: Pool | null; why: string }>("machine", beat);
  if (!data) return error && <Wrong error={error} />;
  if (!data.pool) return data.why ? <p class="soft">The pool cannot be used: {data.why}</p> : null;
  const pool = data.pool;
  const busy = pool.drivers.filter((each) => each.workers.length > 0);
  return (
    <Panel title="This machine" more={`its pool is process ${pool.pid}`} wide>
      <Facts
        rows={[
          ["cores", `${pool.cores}, ${Math.max(0, pool.free_cores)} free`],
          ["memory", `${bytes(pool.memory_bytes)}, ${bytes(pool.available_bytes)} free`],
          ["waiting for memory", pool.memory_stall > 0 && `${Math.ceil(100 * pool.memory_stall)}% of the last 10 s`],
          ...Object.entries(pool.quotas ?? {}).map(([label, quota]): [string, string] => [
            `quota of ${label}`,
            quotaText(quota),
          ]),
          ...busy.map((each): [string, ComponentChildren] => [
            `process ${each.pid}`,
            <>
              <Who who={each.who} run={each.run} />: {counted(each.workers.length, "worker")} of the pool
            </>,
          ]),
          ...pool.zygotes.map((each): [string, string] => [
            `workers of ${each.program.replace(/.*\//, "")}${each.torch ? " with LibTorch" : ""}`,
            warmText(each),
          ]),
          ["replaced", pool.replaced && `${pool.replaced}: workers that had loaded it wait no longer`],
        ]}
      />
      <Claims claims={pool.claims} />
    </Panel>
  );
}
