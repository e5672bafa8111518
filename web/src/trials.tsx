// SPDX-License-Identifier: Apache-2.0
// What a search has tried: the table, the best first, and pictures of it.
import { useMemo, useState } from "preact/hooks";
import { runPath, useJson } from "./api";
import { Chart, type Line } from "./chart";
import { counted, metric, seconds, shown } from "./format";
import { Empty, Panel, Table, Waiting, Wrong, type Column } from "./parts";
import { Contour, Front, Parallel, Slices, type Drawn } from "./trial_plots";
import { bestSoFar, briefly, leveled, valuesText, type Importance, type Objective, type Phase, type Trial, type Trials } from "./tried";
import type { Overview } from "./types";

const kMostRows = 15; // Of the table at first.

// The best is first, then by state and value.
function inOrder(data: Trials): Trial[] {
  const higher = data.higher_is_better ?? false;
  const loss = (trial: Trial) => (typeof trial.value !== "number" ? Infinity : higher ? -trial.value : Math.abs(trial.value));
  const state = (trial: Trial) => (trial.trial === data.best ? -1 : ["done", "pruned", "failed"].indexOf(trial.state));
  return [...(data.trials ?? [])].sort((a, b) => state(a) - state(b) || loss(a) - loss(b) || a.trial - b.trial);
}

function howMany(trials: Trial[], running: number): string {
  const states = (["done", "pruned", "failed"] as const).map((state) => [trials.filter((trial) => trial.state === state).length, state] as const);
  return [...states, [running, "running"] as const].filter(([count]) => count > 0).map(([count, state]) => `${count} ${state}`).join(", ");
}

function TrialTable({ data, trials, name, running }: { data: Trials; trials: Trial[]; name: string; running: { trial: number; values: string }[] }) {
  const [all, setAll] = useState(false);
  const more = (data.compared_by ?? []).slice(1);
  const optional = (has: boolean, column: Column<Trial>) => (has ? [column] : []);
  const direction = data.higher_is_better === undefined ? "" : `; ${name}: ${data.higher_is_better ? "more" : "less"} is better`;
  const rows = all ? trials : trials.slice(0, kMostRows);
  return (
    <Panel title="Trials, the best first" more={howMany(trials, running.length) + direction} wide>
      <Table
        label="trials"
        rows={rows}
        row={(trial) => (trial.trial === data.best ? "chosen" : trial.state === "done" ? "" : "soft")}
        columns={[
          { name: "trial", number: true, cell: (trial) => trial.trial },
          { name, number: true, cell: (trial) => metric(trial.value) },
          ...more.map((each): Column<Trial> => ({ name: each.metric, number: true, cell: (trial) => metric(trial.measured?.[each.metric]) })),
          ...optional(more.length > 0, { name: "front", cell: (trial) => (data.front?.includes(trial.trial) ? "on it" : "") }),
          ...optional(trials.some((trial) => typeof trial.deviation === "number"), { name: "± of folds", number: true, cell: (trial) => (typeof trial.deviation === "number" ? metric(trial.deviation) : "") }),
          ...optional(trials.some((trial) => trial.parent), { name: "continued from", number: true, cell: (trial) => trial.parent ?? "" }),
          { name: "took", number: true, cell: (trial) => (typeof trial.seconds === "number" ? seconds(trial.seconds) : "") },
          { name: "with", wrap: true, cell: (trial) => valuesText(trial.values) },
          { name: "state", wrap: true, cell: (trial) => `${shown(trial.state)} ${shown(trial.error)}` },
        ]}
      />
      {rows.length < trials.length && (
        <button type="button" class="small" onClick={() => setAll(true)}>
          all {counted(trials.length, "trial")}
        </button>
      )}
      {running.map((each) => (
        <p key={each.trial} class="soft">
          trial {each.trial} runs with {each.values}
        </p>
      ))}
    </Panel>
  );
}

// The values by trial, those that were pruned apart, and the best until there.
function Values({ data, trials, name }: { data: Trials; trials: Trial[]; name: string }) {
  const lines = useMemo(() => {
    const told = trials.filter((trial) => typeof trial.value === "number").sort((a, b) => a.trial - b.trial);
    const dotsOf = (state: string): Line => {
      const some = told.filter((trial) => trial.state === state);
      return { name: state, x: some.map((trial) => trial.trial), y: some.map((trial) => trial.value!), dots: "only" };
    };
    const best = bestSoFar(trials, data.higher_is_better ?? false);
    const line: Line = { name: "best", x: best.map((each) => each[0]), y: best.map((each) => each[1]) };
    return [line, dotsOf("done"), dotsOf("pruned")].filter((each) => each.x.length > 0);
  }, [trials, data]);
  const range = useMemo((): [number, number] | undefined => {
    const values = lines.flatMap((line) => line.y as number[]).sort((a, b) => a - b);
    if (values.length < 10) return undefined;
    const [low, high] = data.higher_is_better ? [values[Math.floor(values.length / 10)]!, values.at(-1)!] : [values[0]!, values[Math.ceil(values.length * 0.9) - 1]!];
    const room = (high - low) * 0.08;
    return high > low ? [low - room, high + room] : undefined;
  }, [lines, data]);
  return (
    <Panel>
      <Chart title={`${name} by trial`} xName="trial" lines={lines} {...(range ? { range } : {})} note={range ? "without the worst tenth" : ""} />
    </Panel>
  );
}

function ImportanceBars({ importance, name }: { importance: Importance; name: string }) {
  const options = [...(importance.options ?? [])].sort((a, b) => b.share - a.share);
  if (!options.length) return null;
  const others = importance.others ?? [];
  const rest = Math.max(0, 1 - options.reduce((sum, each) => sum + each.share, 0));
  const percent = (share: number) => `${(100 * share).toFixed(share < 0.0995 ? 1 : 0)}%`;
  const shareIn = (other: (typeof others)[number], option: string) => other.options.find((each) => each.option === option)?.share ?? 0;
  return (
    <Panel title="Importance of options">
      <Table
        label="importance of options"
        rows={options}
        columns={[
          { name: "option", wrap: true, cell: (each) => briefly(each.option) },
          { name: others.length ? `for ${name}` : "share", number: true, cell: (each) => percent(each.share) },
          {
            name: "of the variance",
            cell: (each) => (
              <div class="worth">
                <div style={{ width: `${(100 * each.share) / Math.max(1e-12, options[0]!.share)}%` }} />
              </div>
            ),
          },
          ...others.map((other): Column<(typeof options)[number]> => ({ name: `for ${other.metric}`, number: true, cell: (each) => percent(shareIn(other, each.option)) })),
        ]}
      />
      <p class="soft">
        How much of what a forest expects of {name} over the whole space, learned from {counted(importance.trials ?? 0, "trial")}, varies with one option alone;
        {" "}{percent(rest)} is due to several together. Pruned trials count with what they had reached.
      </p>
    </Panel>
  );
}

// A population's best: the options of its epochs.
function Schedule({ schedule }: { schedule: Phase[] }) {
  return (
    <Panel title="Schedule of the best trial">
      <Table
        label="schedule of the best"
        rows={schedule}
        columns={[
          { name: "epochs", number: true, cell: ({ epochs: [first, last] }) => (first === last ? first : `${first} to ${last}`) },
          { name: "trial", number: true, cell: (phase) => phase.trial },
          { name: "with", wrap: true, cell: (phase) => valuesText(phase.values) },
        ]}
      />
    </Panel>
  );
}

// At which epoch how many were pruned.
function Pruned({ trials }: { trials: Trial[] }) {
  const pruned = trials.filter((trial) => trial.state === "pruned" && (trial.pruned_at ?? 0) > 0);
  if (!pruned.length) return null;
  const at = [...new Set(pruned.map((trial) => trial.pruned_at!))].sort((a, b) => a - b);
  const rows = [
    ...at.map((epoch) => [`pruned at ${epoch}`, pruned.filter((trial) => trial.pruned_at === epoch)] as const),
    ["completed", trials.filter((trial) => trial.state === "done")] as const,
  ];
  const most = Math.max(...rows.map(([, some]) => some.length), 1);
  return (
    <Panel title="Length of trials">
      <Table
        label="length of trials"
        rows={rows}
        columns={[
          { name: "epoch, round or fold", cell: ([text]) => text },
          { name: "trials", number: true, cell: ([, some]) => some.length },
          { name: "took", number: true, cell: ([, some]) => seconds(some.reduce((sum, trial) => sum + (trial.seconds ?? 0), 0)) },
          {
            name: "beside the most",
            cell: ([, some]) => (
              <div class="worth">
                <div style={{ width: `${(100 * some.length) / most}%` }} />
              </div>
            ),
          },
        ]}
      />
    </Panel>
  );
}

export function TrialsScreen({ run, beat }: { run: Overview; beat: number }) {
  const { data, error } = useJson<Trials>(runPath(run.run, "trials"), `${beat} ${run.state}`);
  const told = data?.trials?.length ?? 0;
  const { data: importance } = useJson<Importance>(told ? runPath(run.run, "trials/importance") : null, told);
  const [picked, pick] = useState<number | null>(null);
  const trials = useMemo(() => (data ? inOrder(data) : []), [data]);
  const levels = useMemo(() => leveled(trials, data?.higher_is_better ?? false), [trials]);
  if (!data) return error ? <Wrong error={error} /> : <Waiting />;
  const running = run.state === "running" ? (data.running ?? []) : [];
  if (!trials.length) {
    return <Empty>{running.length ? `No trial has ended yet; ${counted(running.length, "trial")} ${running.length === 1 ? "runs" : "run"}.` : "No trial has ended yet."}</Empty>;
  }
  const name = data.metric || shown(trials[0]!.metric) || "value";
  const drawn: Drawn = { trials: levels, options: data.options ?? [], name, picked, pick };
  const pictures = levels.length > 2 && drawn.options.length > 0;
  const objectives: Objective[] = data.compared_by ?? [];
  return (
    <div class="panels uneven">
      <TrialTable data={data} trials={trials} name={name} running={running} />
      {(["epoch", "round"] as const).map((unit) => {
        const count = run.result.search?.[`${unit}s`];
        return typeof count === "number" ? (
          <p key={unit} class="soft wide">
            The best was fitted again on all training rows, for {counted(count, unit)}.
          </p>
        ) : null;
      })}
      {trials.length > 2 && <Values data={data} trials={trials} name={name} />}
      {data.schedule && <Schedule schedule={data.schedule} />}
      {importance?.options && <ImportanceBars importance={importance} name={name} />}
      {objectives.length > 1 && <Front drawn={drawn} trials={trials} objectives={objectives} front={data.front ?? []} />}
      <Pruned trials={trials} />
      {pictures && importance?.pairs && <Contour drawn={drawn} importance={importance} />}
      {pictures && <Slices drawn={drawn} importance={importance} />}
      {pictures && drawn.options.length > 1 && <Parallel drawn={drawn} />}
    </div>
  );
}
