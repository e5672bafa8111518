// SPDX-License-Identifier: Apache-2.0
// Who sat where, and how the gang changed.
import { runPath, useJson } from "./api";
import { clock, counted, shown } from "./format";
import { Empty, Link, Panel, Table, Waiting, Wrong } from "./parts";
import { runHref } from "./route";
import type { Json, JsonObject, Overview } from "./types";

interface Rank {
  rank: number;
  host: string;
  pid?: number;
  log?: string;
  cores?: number;
  gpus?: Json[];
}
interface Gang {
  time: number;
  task: string;
  attempt: number;
  ranks: Rank[];
}
interface Gangs {
  gangs: Gang[];
  changes: (JsonObject & { time: number; event: string })[];
}

const kSays: Record<string, string> = {
  restart: "the gang starts again",
  rank_lost: "a rank is lost",
  rank_taken_over: "another process takes the rank",
  gang_change: "the gang changes",
  gang_entered: "a member joined",
  member_start: "a member starts",
  waiting: "waiting for seats",
};

function details(change: JsonObject): string {
  return Object.entries(change)
    .filter(([key]) => key !== "time" && key !== "event")
    .map(([key, value]) => `${key.replace(/_/g, " ")} ${shown(value)}`)
    .join(", ");
}

export function GangScreen({ run, beat }: { run: Overview; beat: number }) {
  const { data, error } = useJson<Gangs>(runPath(run.run, "gang"), `${beat} ${run.state}`);
  const { data: plan } = useJson<{ shards_text?: string }>(runPath(run.run, "plan"), run.state);
  if (!data) return error ? <Wrong error={error} /> : <Waiting />;
  if (!data.gangs.length) return <Empty>No gang has been placed in this run.</Empty>;
  const events = [
    ...data.gangs.map((gang) => ({
      time: gang.time,
      what: `${counted(gang.ranks.length, "rank")} placed`,
      more: `task ${gang.task}${gang.attempt ? `, attempt ${gang.attempt}` : ""}`,
    })),
    ...data.changes.map((change) => ({ time: change.time, what: kSays[change.event] ?? change.event, more: details(change) })),
  ].sort((a, b) => a.time - b.time);
  const last = data.gangs.at(-1)!;
  const hosts = new Set(last.ranks.map((rank) => rank.host)).size;
  return (
    <div class="panels">
      <Panel title={`Ranks of the last gang, task ${last.task}`} more={`${last.ranks.length} on ${hosts} host${hosts > 1 ? "s" : ""}`} wide>
        <Table
          label="ranks"
          rows={last.ranks}
          columns={[
            { name: "rank", number: true, cell: (rank) => rank.rank },
            { name: "host", cell: (rank) => rank.host },
            { name: "process", number: true, cell: (rank) => rank.pid || "" },
            { name: "cores", number: true, cell: (rank) => shown(rank.cores) },
            { name: "GPUs", wrap: true, cell: (rank) => shown(rank.gpus) || <span class="soft">none</span> },
            {
              name: "log",
              cell: (rank) => {
                const name = (rank.log ?? "").replace(/.*\//, "");
                return name ? <Link href={`${runHref(run.run, "logs")}?log=${encodeURIComponent(`logs/${name}`)}`}>{name}</Link> : "";
              },
            },
          ]}
        />
        {plan?.shards_text && <p class="soft">{plan.shards_text}.</p>}
      </Panel>
      <Panel title="Membership" more={counted(events.length, "change")} wide>
        <Table
          label="changes of the gang"
          rows={events}
          columns={[
            { name: "time (UTC)", cell: (event) => <code>{clock(event.time)}</code> },
            { name: "what", cell: (event) => event.what },
            { name: "more", wrap: true, cell: (event) => <span class="soft">{event.more}</span> },
          ]}
        />
      </Panel>
    </div>
  );
}
