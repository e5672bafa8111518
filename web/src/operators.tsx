// SPDX-License-Identifier: Apache-2.0
// What the engine ran, operator by operator, with the time and the rows that it counted itself.
import { runPath, useJson } from "./api";
import { clock, grouped, seconds } from "./format";
import { Bar, type Elsewhere, Links, Panel, Table } from "./parts";
import type { Overview } from "./types";

interface Operator {
  name: string;
  depth: number;
  seconds?: number; // Engines do not time every operator.
  rows?: number;
  scanned?: number;
  what?: string;
}
interface Plans {
  plans: { time: number; name: string; seconds: number | null; cpu_seconds: number | null; operators: Operator[]; links?: Elsewhere[] }[];
}

// DuckDB's "HASH_JOIN" as "hash join"; Spark's "BroadcastHashJoin" as it is.
function nameOf(name: string): string {
  return name === name.toUpperCase() ? name.toLowerCase().replace(/_/g, " ").trim() : name;
}

export function OperatorsPanel({ run }: { run: Overview }) {
  const { data } = useJson<Plans>(runPath(run.run, "operators"), `${run.state} ${run.parts.length}`);
  return (
    <>
      {data?.plans.map((plan, at) => {
        const all = plan.operators.reduce((sum, each) => sum + (each.seconds || 0), 0);
        return (
          <Panel
            key={at}
            title={`Operators of the engine: ${plan.name}`}
            more={`at ${clock(plan.time).slice(0, 8)} UTC, ${seconds(plan.seconds)}; ${seconds(all)} of the cores' time in operators`}
            wide
          >
            {plan.links && plan.links.length > 0 && (
              <p>
                On Spark's own page: <Links links={plan.links} />
              </p>
            )}
            <Table
              label={`operators of ${plan.name}`}
              rows={plan.operators}
              columns={[
                { name: "operator, and below it what it reads from", cell: (each) => <span style={{ paddingLeft: `${14 * Math.min(30, each.depth || 0)}px` }}>{nameOf(each.name)}</span> },
                { name: "time", number: true, cell: (each) => (each.seconds === undefined ? "" : seconds(each.seconds)) },
                { name: "share", cell: (each) => <Bar share={all > 0 ? (each.seconds ?? 0) / all : 0} label={`share of ${each.name}`} /> },
                { name: "rows given", number: true, cell: (each) => (each.rows === undefined ? "" : grouped(each.rows)) },
                { name: "rows scanned", number: true, cell: (each) => (each.scanned ? grouped(each.scanned) : "") },
                { name: "what", wrap: true, cell: (each) => <span class="soft">{each.what}</span> },
              ]}
            />
          </Panel>
        );
      })}
    </>
  );
}
