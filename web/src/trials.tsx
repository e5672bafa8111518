// SPDX-License-Identifier: Apache-2.0
// What a search has tried, the best first.
import { useMemo } from "preact/hooks";
import { runPath, useJson } from "./api";
import { Chart } from "./chart";
import { counted, metric, seconds, short, shown } from "./format";
import { Empty, Panel, Table, Waiting, Wrong } from "./parts";
import type { Json, JsonObject, Overview } from "./types";

interface Trials {
  trials?: JsonObject[];
  metric?: string;
  higher_is_better?: boolean;
  best?: number;
}

// "optimizer.learning_rate 0.0208, net.hidden [64]": the events have it as text already.
function optionsOf(value: Json | undefined): string {
  if (value === null || typeof value !== "object" || Array.isArray(value)) return shown(value);
  return Object.entries(value)
    .map(([key, each]) => `${key.replace(/^train\./, "")} ${typeof each === "number" ? short(each) : shown(each)}`)
    .join(", ");
}

function numberOf(trial: JsonObject): number {
  return typeof trial.trial === "number" ? trial.trial : 0;
}

export function TrialsScreen({ run, beat }: { run: Overview; beat: number }) {
  const { data, error } = useJson<Trials>(runPath(run.run, "trials"), `${beat} ${run.state}`);
  const trials = useMemo(() => {
    const sign = data?.higher_is_better ? -1 : 1;
    const worth = (trial: JsonObject) =>
      typeof trial.value === "number" && trial.state !== "pruned" ? sign * trial.value : Infinity;
    return [...(data?.trials ?? [])].sort((a, b) => worth(a) - worth(b) || numberOf(a) - numberOf(b));
  }, [data]);
  const lines = useMemo(() => {
    const told = trials.filter((trial) => typeof trial.value === "number").sort((a, b) => numberOf(a) - numberOf(b));
    return [{ name: data?.metric ?? "value", x: told.map(numberOf), y: told.map((trial) => trial.value as number), dots: true }];
  }, [trials]);
  if (!data) return error ? <Wrong error={error} /> : <Waiting />;
  if (!trials.length) return <Empty>No trial has ended yet.</Empty>;
  const name = data.metric ?? shown(trials[0]!.metric);
  return (
    <div class="panels">
      <Panel title="Trials, the best first" more={data.higher_is_better === undefined ? "" : `${name}: ${data.higher_is_better ? "more" : "less"} is better`} wide>
        <Table
          label="trials"
          rows={trials}
          row={(trial) => (numberOf(trial) === data.best ? "chosen" : trial.state === "failed" || trial.state === "pruned" ? "soft" : "")}
          columns={[
            { name: "trial", number: true, cell: numberOf },
            { name: name || "value", number: true, cell: (trial) => metric(trial.value) },
            { name: "± of folds", number: true, cell: (trial) => (typeof trial.deviation === "number" ? metric(trial.deviation) : "") },
            { name: "took", number: true, cell: (trial) => (typeof trial.seconds === "number" ? seconds(trial.seconds) : "") },
            { name: "with", wrap: true, cell: (trial) => optionsOf(trial.values) },
            { name: "state", wrap: true, cell: (trial) => `${shown(trial.state)} ${shown(trial.error)}` },
          ]}
        />
      </Panel>
      {(["epoch", "round"] as const).map((unit) => {
        const count = run.result.search?.[`${unit}s`];
        return typeof count === "number" ? (
          <p key={unit} class="soft wide">
            The best was fitted again on all training rows, for {counted(count, unit)}.
          </p>
        ) : null;
      })}
      {trials.length > 2 && (
        <Panel wide>
          <Chart title={`${name} by trial`} xName="trial" lines={lines} />
        </Panel>
      )}
    </div>
  );
}
