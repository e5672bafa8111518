// SPDX-License-Identifier: Apache-2.0
// One run from its tables to its predictions: parts with their times, what happens now,
// what went wrong, what came of it.
import { age, bytes, clock, day, grouped, metric, seconds, short, shown, workersText } from "./format";
import { Bar, Copy, Facts, Panel, Table } from "./parts";
import type { Failure, Message, Numbers, Overview, Part } from "./types";

const kSays: Record<string, string> = {
  prepare: "checks, the engine opens, types are inferred, the plan is made",
  etl: "reading, joining and keeping the table",
  fit: "stages learn from the training rows",
  search: "trials of a search",
  "start ranks": "workers start, load LibTorch and exchange rows",
  train: "the gang takes its steps",
  score: "importance, held-out rows scored and written",
};

function rateOf(part: Part, run: Overview): string {
  const took = part.seconds;
  if (took <= 0) return "";
  const rates = [];
  if (part.rows) rates.push(`${short(part.rows / took)} rows/s`);
  if (part.name === "etl" && run.input_bytes) rates.push(`${bytes(run.input_bytes / took)}/s`);
  return rates.join(", ");
}

// From ETL to scoring as one band; a part is as wide as it took long.
function Ribbon({ run }: { run: Overview }) {
  const total = run.parts.reduce((sum, part) => sum + part.seconds, 0);
  if (!run.parts.length || total <= 0) return null;
  const running = run.state === "running";
  return (
    <Panel title="Timeline" more={`${seconds(run.result.seconds?.total ?? total)} in all`} wide>
      <div class="ribbon" aria-hidden="true">
        {run.parts.map((part, at) => (
          <div
            key={at}
            class={`part p-${part.name.replace(" ", "-")} ${running && at === run.parts.length - 1 ? "now" : ""}`}
            style={{ flexGrow: Math.max(part.seconds / total, 0.012) }}
            title={`${part.name}: ${seconds(part.seconds)}`}
          />
        ))}
      </div>
      <Table
        label="parts of the run"
        rows={run.parts}
        columns={[
          {
            name: "part",
            cell: (part) => (
              <>
                <i class={`key p-${part.name.replace(" ", "-")}`} /> {part.name}
              </>
            ),
          },
          { name: "time", number: true, cell: (part) => seconds(part.seconds) },
          { name: "share", number: true, cell: (part) => `${Math.round((100 * part.seconds) / total)}%` },
          { name: "rows", number: true, cell: (part) => (part.rows ? grouped(part.rows) : "") },
          { name: "pace", number: true, cell: (part) => rateOf(part, run) },
          { name: "what it is", cell: (part) => <span class="soft">{part.name === "train" && run.progress?.trees ? "the gang grows trees" : (kSays[part.name] ?? "")}</span> },
        ]}
      />
    </Panel>
  );
}

function Now({ run }: { run: Overview }) {
  if (run.state !== "running") return null;
  const quiet = (Date.now() - run.last_event) / 1000;
  return (
    <Panel title="Now" more={quiet > 15 ? `no event for ${seconds(quiet)}` : undefined} wide>
      <p class="now">{run.now || "starting"}</p>
      {run.percent !== null && <Bar share={run.percent / 100} label="progress of this part" />}
      {run.percent === null && run.progress && (
        <Bar share={run.progress.step / Math.max(1, run.progress.steps)} label="progress of the training" />
      )}
    </Panel>
  );
}

function FailureBlock({ failure }: { failure: Failure }) {
  return (
    <div class="fault" role="alert">
      <b>{failure.what}</b>
      <Facts
        rows={[
          ["where", failure.where],
          ["why", failure.why],
          ["kept", failure.kept],
          [
            "fix",
            failure.fix && (
              <>
                <code>{failure.fix}</code> <Copy text={failure.fix} />
              </>
            ),
          ],
          ["exit code", failure.exit],
        ]}
      />
      {failure.log?.lines && (
        <>
          <p class="soft">the last lines of {failure.log.path}</p>
          <pre>{failure.log.lines}</pre>
        </>
      )}
    </div>
  );
}

const kCutOff: Failure = {
  exit: 137,
  what: "the process of this run was killed, or the machine went down",
  kept: "everything written until then",
};

// The model beside the baseline, on the rows that were held out.
function Metrics({ run }: { run: Overview }) {
  const sets = run.result.metrics ?? {};
  const { scored = "test rows", baseline_column: column, best_epoch: best, rounds } = run.result;
  const rows: [string, Numbers][] = [];
  if (sets.test) rows.push([`model, ${shown(scored)}`, sets.test]);
  // Numbers are predicted by a line in one column, classes by how frequent they are.
  const baseline = typeof column === "string" ? `a straight line in ${column}` : "the same for every row";
  if (sets.baseline) rows.push([`baseline, ${baseline}, ${shown(scored)}`, sets.baseline]);
  if (sets.validation) rows.push([`model, validation rows${best ? `, ${rounds ? "round" : "epoch"} ${shown(best)} (the best)` : ""}`, sets.validation]);
  const names = [...new Set(rows.flatMap(([, values]) => Object.keys(values)))];
  if (!names.length) return null;
  return (
    <Panel title="Metrics">
      <Table
        label="metrics"
        rows={rows}
        columns={[
          { name: "of", wrap: true, cell: ([label]) => label },
          ...names.map((name) => ({
            name,
            number: true,
            cell: ([, values]: [string, Numbers]) => metric(values[name]),
          })),
        ]}
      />
    </Panel>
  );
}

function Messages({ messages, leftOut }: { messages: Message[]; leftOut: number }) {
  if (!messages.length) return null;
  const last = messages.slice(-50);
  return (
    <Panel title="Messages" more={messages.length > 50 ? `the last 50 of ${messages.length + leftOut}` : undefined}>
      <ul class="messages">
        {last.map((message, at) => (
          <li key={at} class={message.kind}>
            <time>{clock(message.time).slice(0, 8)}</time> {message.text}
          </li>
        ))}
      </ul>
    </Panel>
  );
}

export function OverviewScreen({ run }: { run: Overview }) {
  const failure = run.failure ?? (run.state === "cut off" ? { ...kCutOff, fix: `protium resume ${run.folder}` } : null);
  const result = run.result;
  return (
    <div class="panels">
      {failure && (
        <div class="wide">
          <FailureBlock failure={failure} />
        </div>
      )}
      <Now run={run} />
      <Ribbon run={run} />
      <Metrics run={run} />
      <Panel title="The run">
        <Facts
          rows={[
            ["started", `${day(run.started)} UTC, ${age(run.started)}`],
            ["ended", run.ended && `${day(run.ended)} UTC`],
            ["engine", run.engine],
            ["predicts", shown(result.labels)],
            ["gang", result.workers && `${workersText(result.workers)}, ${result.shards} shards`],
            ["training rows", result.rows && grouped(result.rows)],
            [result.rounds ? "rounds" : "steps", result.steps &&
              `${grouped(result.steps)}${result.best_epoch ? `, best ${result.rounds ? "round" : "epoch"} ${grouped(result.best_epoch)}` : ""}`],
            ["rows on disk", result.rows_on_disk_bytes && `${bytes(result.rows_on_disk_bytes)}, read ${result.rounds ? "for every tree" : "in every epoch"}`],
            ["waiting", typeof result.wait_share === "number" && `${(100 * result.wait_share).toFixed(1)}% of the training time`],
            [result.rounds ? "first round after" : "first step after", result.seconds?.first_step !== undefined && seconds(result.seconds.first_step)],
            ["checkpoints", run.counts.checkpoints || null],
            ["same bits", result.weights_sha256 && <code title={result.weights_sha256}>{result.weights_sha256.slice(0, 16)}</code>],
            ["process", run.state === "running" ? run.pid : null],
            ["command", <code>{run.argv.map((word, at) => (at ? word : word.replace(/.*\//, ""))).join(" ")}</code>],
            ["folder", <code>{run.folder}</code>],
            ["note", run.note],
          ]}
        />
      </Panel>
      {result.outputs && result.outputs.length > 0 && (
        <Panel title="Outputs">
          <Facts
            rows={[
              ...(result.outputs ?? []).map(
                (path) => [`${result.output_rows?.[path] !== undefined ? `${grouped(result.output_rows[path]!)} rows` : "output"}`, <code>{path}</code>] as [string, preact.ComponentChildren],
              ),
              ["model", result.model && <code>{result.model}</code>],
            ]}
          />
        </Panel>
      )}
      <Messages messages={run.messages} leftOut={run.counts.left_out} />
    </div>
  );
}
