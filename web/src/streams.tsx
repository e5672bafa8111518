// SPDX-License-Identifier: Apache-2.0
// All streams of the folder, and one of them: what `protium stream status` says, its newest batches
// and its dead letters.
import { useBeat, useJson } from "./api";
import { counted, grouped, plain } from "./format";
import { Empty, Facts, Link, Panel, StateMark, Table, Waiting, Wrong } from "./parts";
import { runHref, streamHref } from "./route";
import type { DeadLetter, StreamBatch, StreamModel, StreamPage, StreamStatus } from "./types";

const kBeat = 2000;

const count = (value: number | undefined) => grouped(value ?? 0);
const millis = (value: number | undefined) => `${grouped(Math.round(value ?? 0))} ms`;

function Version({ model }: { model: StreamModel | undefined }) {
  if (!model) return <>–</>;
  return (
    <>
      {model.name} <code title={model.sha256}>{model.sha256.slice(0, 12)}</code>
      {model.run && (
        <>
          {" "}
          of <Link href={runHref(model.run)}>{model.run}</Link>
        </>
      )}
    </>
  );
}

function differences(shadow: StreamModel | undefined): string {
  if (!shadow) return "";
  if (!shadow.rows) return "nothing is compared yet";
  return `${count(shadow.differ)} of ${counted(shadow.rows, "prediction")} differ, by ${plain(shadow.mean_apart, 4)} on average`;
}

function held(status: StreamStatus): string {
  const join = status.join;
  if (!join) return "";
  return `${counted(join.waiting, "event")} of ${join.events} wait for ${join.other}${join.held ? `; ${join.held} is not read further` : ""}`;
}

function trained(status: StreamStatus): string {
  const training = status.training;
  if (!training) return "";
  const running = training.running === null || training.running === undefined ? "" : `; ${training.running} is running`;
  return `${training.promoted} promoted, ${training.refused} not, ${training.failed} failed${running}`;
}

function Figures({ status }: { status: StreamStatus }) {
  const { model, shadow, partitions, engine } = status;
  return (
    <Facts
      rows={[
        ["rows", `${counted(status.rows, "row")} in ${status.batches === 1 ? "1 batch" : `${count(status.batches)} batches`}`],
        ["dead letters", count(status.dead)],
        ["rate", `${count(Math.round(status.rows_per_second))} rows/s`],
        ["waiting", !engine && `${count(status.waiting)} ${status.unit}`],
        [engine ? "a batch takes" : "from an event to its row", `p50 ${millis(status.latency_ms?.p50)}, p99 ${millis(status.latency_ms?.p99)}`],
        ["engine", engine && `${engine.address}${engine.doing && `: ${engine.doing}`}`],
        ["in windows", status.in_windows !== undefined && counted(status.in_windows, "event")],
        ["join", held(status)],
        ["model", model && <Version model={model} />],
        ["kept, since", model?.trouble],
        ["shadow", shadow && <Version model={shadow} />],
        ["shadow's difference", differences(shadow)],
        ["shadow kept, since", shadow?.trouble],
        ["trainings", trained(status)],
        ["process", status.state === "running" && !partitions && String(status.pid)],
      ]}
    />
  );
}

function Partitions({ partitions }: { partitions: StreamStatus[] }) {
  return (
    <Panel title="Partitions" wide>
      <Table
        label="partitions"
        rows={partitions}
        columns={[
          { name: "partition", number: true, cell: (each) => String(each.partition) },
          { name: "state", cell: (each) => <StateMark state={each.state} /> },
          { name: "process", number: true, cell: (each) => (each.state === "running" ? String(each.pid) : "") },
          { name: "rows", number: true, cell: (each) => count(each.rows) },
          { name: "dead letters", number: true, cell: (each) => count(each.dead) },
          { name: "waiting", number: true, cell: (each) => `${count(each.waiting)} ${each.unit}` },
          { name: "p99", number: true, cell: (each) => millis(each.latency_ms?.p99) },
          { name: "model", cell: (each) => <Version model={each.model} /> },
        ]}
      />
    </Panel>
  );
}

function batchName(each: { batch?: number; partition?: number }): string {
  const partition = each.partition === undefined ? "" : `partition ${each.partition}, `;
  return each.batch === undefined ? "" : `${partition}${each.batch}`;
}

function Batches({ batches }: { batches: StreamBatch[] }) {
  return (
    <Panel title="Batches" more="the newest">
      {batches.length ? (
        <Table
          label="batches"
          rows={batches}
          columns={[
            { name: "batch", number: true, cell: batchName },
            { name: "rows", number: true, cell: (each) => (each.ended ? count(each.rows) : "begun") },
            { name: "dead letters", number: true, cell: (each) => (each.ended ? count(each.dead) : "") },
            { name: "model", cell: (each) => <code title={each.model}>{each.model.slice(0, 12) || "–"}</code> },
          ]}
        />
      ) : (
        <Empty>No batch has begun since the log was shortened.</Empty>
      )}
    </Panel>
  );
}

function Letters({ letters, dead }: { letters: DeadLetter[]; dead: number }) {
  return (
    <Panel title="Dead letters" more={letters.length < dead ? `the newest ${letters.length} of ${count(dead)}` : ""} wide>
      {letters.length ? (
        <Table
          label="dead letters"
          rows={letters}
          columns={[
            { name: "batch", number: true, cell: batchName },
            { name: "place", wrap: true, cell: (each) => each.place },
            { name: "reason", wrap: true, cell: (each) => each.reason },
            { name: "event", wrap: true, cell: (each) => <code>{each.text ?? each.hex ?? ""}</code> },
          ]}
        />
      ) : (
        <Empty>None.</Empty>
      )}
    </Panel>
  );
}

export function StreamScreen({ name }: { name: string }) {
  const [beat] = useBeat(kBeat);
  const { data, error } = useJson<StreamPage>(`streams/${encodeURIComponent(name)}`, beat);
  if (!data) return error ? <Wrong error={error} /> : <Waiting />;
  const { status } = data;
  return (
    <>
      <h1>
        {data.stream} <StateMark state={status.state} />
      </h1>
      {error && <Wrong error={error} />}
      {status.error && (
        <div class="fault" role="alert">
          <b>{status.error}</b>
          <p class="soft">Started again, it continues after what it has written.</p>
        </div>
      )}
      <div class="panels">
        <Panel title="Now" more={data.folder}>
          <Figures status={status} />
        </Panel>
        <Batches batches={data.batches} />
        {status.partitions && <Partitions partitions={status.partitions} />}
        <Letters letters={data.letters} dead={status.dead} />
      </div>
    </>
  );
}

export function Streams() {
  const [beat] = useBeat(kBeat);
  const { data, error } = useJson<{ folder: string; streams: StreamStatus[] }>("streams", beat);
  if (!data) return error ? <Wrong error={error} /> : <Waiting />;
  if (!data.streams.length) {
    return (
      <Empty>
        No streams in {data.folder} yet. <code>protium stream JOB.toml</code> starts one; <code>protium ui --streams-dir DIR</code>{" "}
        shows those of another folder.
      </Empty>
    );
  }
  return (
    <>
      <h1 class="hidden">Streams</h1>
      {error && <Wrong error={error} />}
      <Table
        label="streams"
        rows={data.streams}
        columns={[
          { name: "stream", cell: (each) => <Link href={streamHref(each.stream)}>{each.stream}</Link> },
          { name: "state", cell: (each) => <StateMark state={each.state} /> },
          { name: "rows", number: true, cell: (each) => count(each.rows) },
          { name: "rows/s", number: true, cell: (each) => count(Math.round(each.rows_per_second)) },
          { name: "waiting", number: true, cell: (each) => `${count(each.waiting)} ${each.unit}` },
          { name: "p50", number: true, cell: (each) => millis(each.latency_ms?.p50) },
          { name: "p99", number: true, cell: (each) => millis(each.latency_ms?.p99) },
          { name: "dead letters", number: true, cell: (each) => count(each.dead) },
          { name: "model", wrap: true, cell: (each) => <Version model={each.model ?? each.partitions?.[0]?.model} /> },
        ]}
      />
      <p class="soft">
        {counted(data.streams.length, "stream")} in {data.folder}
      </p>
    </>
  );
}
