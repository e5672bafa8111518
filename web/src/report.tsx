// SPDX-License-Identifier: Apache-2.0
// report.html: the screens of one run in one file, one below the other. What it knows lies in the
// file (src/doors/page/report.cc).
import type { ComponentChildren } from "preact";
import { useEffect } from "preact/hooks";
import { runPath, useJson, type Report } from "./api";
import { DataScreen } from "./data";
import { ExecutorsScreen } from "./executors";
import { SettingsScreen } from "./files";
import { bytes } from "./format";
import { GangScreen } from "./gang";
import { ModelScreen } from "./model";
import { OverviewScreen } from "./overview";
import { Brand, Fenced, Waiting, Wrong } from "./parts";
import { PlanScreen } from "./plan";
import { hasTrials, Header } from "./run";
import { TrainingScreen } from "./training";
import { TrialsScreen } from "./trials";
import type { Overview } from "./types";

const never = () => () => {}; // Nothing more comes.

// Those that have something to show.
function screensOf(run: Overview): [string, ComponentChildren][] {
  const went = (name: string) => run.parts.some((part) => part.name === name);
  const all: [boolean, string, ComponentChildren][] = [
    [true, "overview", <OverviewScreen run={run} />],
    [hasTrials(run), "trials", <TrialsScreen run={run} beat={0} />],
    [went("train"), "training", <TrainingScreen run={run} subscribe={never} />],
    [run.has.model, "model", <ModelScreen run={run} />],
    [went("etl"), "data", <DataScreen run={run} />],
    [true, "plan", <PlanScreen run={run} />],
    [went("train"), "gang", <GangScreen run={run} beat={0} />],
    [went("train"), "executors", <ExecutorsScreen run={run} beat={0} />],
    [true, "settings", <SettingsScreen run={run} />],
  ];
  return all.filter(([has]) => has).map(([, name, screen]): [string, ComponentChildren] => [name, screen]);
}

function Screens({ report, run }: { report: Report; run: Overview }) {
  const screens = screensOf(run);
  return (
    <>
      <Header run={run} link="over" />
      <nav class="tabs" aria-label="parts of the report">
        {screens.map(([name]) => (
          <a key={name} href={`#${name}`}>
            {name}
          </a>
        ))}
      </nav>
      {run.behind_bytes > 0 && <p class="hint">The last {bytes(run.behind_bytes)} of what happened are left out.</p>}
      {screens.map(([name, screen], at) => (
        <section key={name} id={name} class="screen" aria-label={name}>
          {at > 0 && <h2 class="screen-name">{name}</h2>}
          <Fenced>{screen}</Fenced>
        </section>
      ))}
      <p class="soft">
        Logs and files lie in the folder of the run; <code>protium ui</code> shows them, too.
        {report.left_out.map((each) => ` Not included: "${each.what}": ${each.why}.`)}
      </p>
    </>
  );
}

export function ReportPage({ report }: { report: Report }) {
  const { data: run, error } = useJson<Overview>(runPath(report.run));
  useEffect(() => {
    document.title = `${report.run} · Protium`;
  }, []);
  return (
    <>
      <header class="top">
        <span class="brand">
          <Brand />
        </span>
        <span class="soft">report of a run</span>
      </header>
      <main id="content">{run ? <Screens report={report} run={run} /> : error ? <Wrong error={error} /> : <Waiting />}</main>
    </>
  );
}
