// SPDX-License-Identifier: Apache-2.0
// The frame of a run's screens: its name and state, the way between them, and its events as they
// come.
import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import { runPath, useJson } from "./api";
import { Delete, Labels } from "./change";
import { DataScreen } from "./data";
import { ExecutorsScreen } from "./executors";
import { FilesScreen, LogsScreen, SettingsScreen } from "./files";
import { age, bytes, seconds } from "./format";
import { GangScreen } from "./gang";
import { useLive, type Link as LinkState } from "./live";
import { ModelScreen } from "./model";
import { OverviewScreen } from "./overview";
import { Empty, Fenced, Link, StateMark, Waiting, Wrong } from "./parts";
import { PlanScreen } from "./plan";
import { go, runHref } from "./route";
import { TrainingScreen } from "./training";
import { TrialsScreen } from "./trials";
import type { Overview, RunEvent, State } from "./types";

const kScreens: [string, string][] = [
  ["", "overview"],
  ["training", "training"],
  ["trials", "trials"],
  ["gang", "gang"],
  ["executors", "executors"],
  ["plan", "plan"],
  ["data", "data"],
  ["model", "model"],
  ["logs", "logs"],
  ["settings", "settings"],
  ["files", "files"],
];

export function hasTrials(run: Overview): boolean {
  return run.has.trials || run.parts.some((part) => part.name === "search");
}

function LinkMark({ link }: { link: LinkState }) {
  if (link === "over") return null;
  return (
    <span class={`link ${link}`} role="status">
      {link === "live" ? "live" : "connection lost, trying again"}
    </span>
  );
}

export function Header({ run, link, changed }: { run: Overview; link: LinkState; changed?: () => void }) {
  const total = run.result.seconds?.total;
  return (
    <div class="runhead">
      <h1>{run.run}</h1>
      <StateMark state={run.state} />
      {run.tags.map((tag) => (
        <span key={tag} class="tag">
          {tag}
        </span>
      ))}
      <span class="soft">
        {run.engine ? `on ${run.engine}, ` : ""}
        started {age(run.started)}
        {total !== undefined && `, took ${seconds(total)}`}
      </span>
      {changed && <Labels run={run.run} tags={run.tags} note={run.note} done={changed} />}
      {changed && run.state !== "running" && <Delete runs={[run.run]} done={() => go("/")} />}
      <LinkMark link={link} />
    </div>
  );
}

export function RunScreen({ name, screen }: { name: string; screen: string }) {
  const listeners = useRef(new Set<(events: RunEvent[]) => void>());
  const subscribe = useCallback((take: (events: RunEvent[]) => void) => {
    listeners.current.add(take);
    return () => listeners.current.delete(take) as unknown as void;
  }, []);
  const [state, setState] = useState<State | undefined>(undefined);
  const { beat, link } = useLive(name, state, (events) => listeners.current.forEach((take) => take(events)));
  const [more, setMore] = useState(0);
  const { data: run, error } = useJson<Overview>(runPath(name), beat + more);
  useEffect(() => setState(run?.state), [run?.state]);
  // A long run is read in pieces, each an answer of its own.
  useEffect(() => {
    if (run && run.behind_bytes > 0) setMore((old) => old + 1);
  }, [run]);
  if (!run) return error ? <Wrong error={error} /> : <Waiting />;
  const screens = kScreens.filter(([key]) => key !== "trials" || hasTrials(run));
  return (
    <>
      <Header run={run} link={link} changed={() => setMore((old) => old + 1)} />
      <nav class="tabs" aria-label="screens of the run">
        {screens.map(([key, title]) => (
          <Link key={key} href={runHref(name, key)} aria-current={key === screen ? "page" : undefined}>
            {title}
          </Link>
        ))}
      </nav>
      {error && link !== "lost" && <Wrong error={error} />}
      {run.behind_bytes > 0 && <p class="soft">Still reading what happened: {bytes(run.behind_bytes)} to go.</p>}
      <Fenced key={screen}>
        {screen === "" && <OverviewScreen run={run} />}
        {screen === "training" && <TrainingScreen run={run} subscribe={subscribe} />}
        {screen === "trials" && <TrialsScreen run={run} beat={beat} />}
        {screen === "gang" && <GangScreen run={run} beat={beat} />}
        {screen === "executors" && <ExecutorsScreen run={run} beat={beat} />}
        {screen === "plan" && <PlanScreen run={run} />}
        {screen === "data" && <DataScreen run={run} />}
        {screen === "model" && <ModelScreen run={run} />}
        {screen === "logs" && <LogsScreen run={run} />}
        {screen === "settings" && <SettingsScreen run={run} />}
        {screen === "files" && <FilesScreen run={run} />}
      </Fenced>
      {!kScreens.some(([key]) => key === screen) && <Empty>There is no screen "{screen}".</Empty>}
    </>
  );
}
