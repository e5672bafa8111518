// SPDX-License-Identifier: Apache-2.0
// What a search has tried, the best first.
import { runPath, useJson } from "./api";
import { metric, seconds, shown } from "./format";
import { Empty, Panel, Table, Waiting, Wrong } from "./parts";
import type { JsonObject, Overview } from "./types";

export function TrialsScreen({ run, beat }: { run: Overview; beat: number }) {
  const { data, error } = useJson<{ trials?: JsonObject[]; metric?: string }>(runPath(run.run, "trials"), `${beat} ${run.state}`);
  if (!data) return error ? <Wrong error={error} /> : <Waiting />;
  const trials = data.trials ?? [];
  if (!trials.length) return <Empty>No trial has ended yet.</Empty>;
  const values = (trial: JsonObject) => {
    const value = trial.values;
    if (value === null || typeof value !== "object" || Array.isArray(value)) return shown(value);
    return Object.entries(value).map(([key, each]) => `${key} ${shown(each)}`).join(", ");
  };
  return (
    <Panel title="Trials" more={`${trials.length}`} wide>
      <Table
        label="trials"
        rows={trials}
        columns={[
          { name: "trial", number: true, cell: (trial) => shown(trial.trial ?? trial.number) },
          { name: "state", cell: (trial) => shown(trial.state) },
          { name: shown(data.metric ?? trials[0]!.metric) || "value", number: true, cell: (trial) => metric(trial.value) },
          { name: "+-", number: true, cell: (trial) => (typeof trial.deviation === "number" ? metric(trial.deviation) : "") },
          { name: "took", number: true, cell: (trial) => (typeof trial.seconds === "number" ? seconds(trial.seconds) : "") },
          { name: "with", wrap: true, cell: values },
          { name: "error", wrap: true, cell: (trial) => shown(trial.error) },
        ]}
      />
    </Panel>
  );
}
