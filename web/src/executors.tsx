// SPDX-License-Identifier: Apache-2.0
// The processes that ran the tasks of a run: where, with what, what they run and have run.
import { runPath, useJson } from "./api";
import { bytes, clock, counted, seconds, shown } from "./format";
import { type Elsewhere, Empty, Link, Links, Panel, Table, Waiting, Wrong } from "./parts";
import { runHref } from "./route";
import type { Json, Overview } from "./types";

interface Task {
  task: string;
  attempt: Json;
  rank: Json;
  began: number;
  ended?: number;
}
interface Executor {
  id: string;
  host?: string;
  pid?: Json;
  cores?: Json;
  peak_bytes?: number;
  gpus?: Json;
  log?: string;
  began: number;
  ended?: number;
  active: boolean;
  why?: string;
  tasks: Task[];
}

function taskText(task: Task): string {
  const took = task.ended === undefined ? "now" : seconds((task.ended - task.began) / 1000);
  return `${shown(task.task)}, rank ${shown(task.rank)}${task.attempt ? `, attempt ${shown(task.attempt)}` : ""}: ${took}`;
}

export function ExecutorsScreen({ run, beat }: { run: Overview; beat: number }) {
  const { data, error } = useJson<{ executors: Executor[]; links?: Elsewhere[] }>(runPath(run.run, "executors"), `${beat} ${run.state}`);
  if (!data) return error ? <Wrong error={error} /> : <Waiting />;
  if (!data.executors.length) return <Empty>No process has run a task of this run.</Empty>;
  const active = data.executors.filter((each) => each.active).length;
  const cores = data.executors.reduce((sum, each) => sum + (each.active && typeof each.cores === "number" ? each.cores : 0), 0);
  const told = run.state === "running" ? `${active} of them at work${cores ? `, with ${counted(cores, "core")}` : ""}` : "";
  return (
    <Panel title={counted(data.executors.length, "executor")} more={told} wide>
      {data.links && data.links.length > 0 && (
        <p>
          Elsewhere: <Links links={data.links} />
        </p>
      )}
      <Table
        label="executors"
        rows={data.executors}
        row={(each) => (each.active || run.state !== "running" ? "" : "soft")}
        columns={[
          { name: "id", number: true, cell: (each) => each.id },
          { name: "host", cell: (each) => shown(each.host) },
          { name: "process", number: true, cell: (each) => (typeof each.pid === "number" ? String(each.pid) : shown(each.pid)) },
          { name: "cores", number: true, cell: (each) => shown(each.cores) },
          { name: "peak memory", number: true, cell: (each) => (each.peak_bytes === undefined ? "" : bytes(each.peak_bytes)) },
          { name: "GPUs", wrap: true, cell: (each) => shown(each.gpus) || <span class="soft">none</span> },
          { name: "state", cell: (each) => (each.active ? "at work" : (each.why ?? "ended")) },
          { name: "from (UTC)", cell: (each) => <code>{clock(each.began)}</code> },
          { name: "to", cell: (each) => (each.ended === undefined ? "" : <code>{clock(each.ended)}</code>) },
          { name: "tasks", wrap: true, cell: (each) => each.tasks.slice(-8).map(taskText).join("; ") + (each.tasks.length > 8 ? ` and ${each.tasks.length - 8} before` : "") },
          {
            name: "log",
            cell: (each) => {
              const name = (each.log ?? "").replace(/.*\//, "");
              return name ? <Link href={`${runHref(run.run, "logs")}?log=${encodeURIComponent(`logs/${name}`)}`}>{name}</Link> : "";
            },
          },
        ]}
      />
    </Panel>
  );
}
