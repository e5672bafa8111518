// SPDX-License-Identifier: Apache-2.0
// Settings with their origins; the files of the folder; logs, which are files that grow.
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { getJson, runPath, useJson } from "./api";
import { bytes, day, shown } from "./format";
import { Empty, Facts, Link, Panel, Table, Waiting, Wrong } from "./parts";
import { runHref, setQuery, useRoute } from "./route";
import type { Json, JsonObject, Overview } from "./types";

interface Setting {
  key: string;
  value: Json;
  from: string;
}

export function SettingsScreen({ run }: { run: Overview }) {
  const { data, error } = useJson<{ settings: Setting[] | null; versions: JsonObject | null; file: string | null }>(runPath(run.run, "settings"), run.state);
  const { query } = useRoute();
  if (!data) return error ? <Wrong error={error} /> : <Waiting />;
  const word = (query.get("q") ?? "").toLowerCase();
  const all = query.get("all") === "1" || word !== "";
  const settings = Array.isArray(data.settings) ? data.settings : [];
  const shownOnes = settings.filter((each) => (all || each.from !== "default") && `${each.key} ${shown(each.value)} ${each.from}`.toLowerCase().includes(word));
  if (!settings.length) return <Empty>This run has not written its settings yet.</Empty>;
  return (
    <>
      <div class="filters">
        <input type="search" aria-label="filter settings" placeholder="filter settings" value={word} onInput={(event) => setQuery("q", event.currentTarget.value)} />
        <button type="button" class="chip" aria-pressed={all} onClick={() => setQuery("all", all ? "" : "1")}>
          defaults, too
        </button>
        <span class="soft">
          {shownOnes.length} of {settings.length}
        </span>
      </div>
      <Table
        label="settings"
        rows={shownOnes}
        row={(each) => (each.from === "default" ? "soft" : "")}
        columns={[
          { name: "key", cell: (each) => <code>{each.key}</code> },
          {
            name: "value",
            wrap: true,
            cell: (each) => {
              const text = shown(each.value);
              return text.includes("\n") ? <span class="soft">({text.length} characters; see the plan)</span> : text;
            },
          },
          { name: "from", cell: (each) => <span class="soft">{each.from.replace(/^.*\//, "")}</span> },
        ]}
      />
      <Panel title="Versions">
        <Facts rows={[["job file", data.file], ...Object.entries(data.versions ?? {}).map(([name, value]) => [name, shown(value)] as [string, string])]} />
      </Panel>
    </>
  );
}

interface FilePart {
  path: string;
  bytes: number;
  from: number;
  next: number;
  text: string;
  binary: boolean;
}

function fileUrl(run: string, path: string, from: number): string {
  return `${runPath(run, "files")}/${path.split("/").map(encodeURIComponent).join("/")}?from=${from}`;
}

function FileView({ run, path }: { run: string; path: string }) {
  const { data, error } = useJson<FilePart>(fileUrl(run, path, 0), path);
  if (!data) return error ? <Wrong error={error} /> : <Waiting />;
  if (data.binary) return <Empty>{path} is no text: {bytes(data.bytes)}.</Empty>;
  return (
    <Panel title={path} more={data.next < data.bytes ? `the first ${bytes(data.next)} of ${bytes(data.bytes)}` : bytes(data.bytes)} wide>
      <pre>{data.text || "(empty)"}</pre>
    </Panel>
  );
}

export function FilesScreen({ run }: { run: Overview }) {
  const { query } = useRoute();
  const { data, error } = useJson<{ files: { path: string; bytes: number; modified: number }[]; left_out: number }>(runPath(run.run, "files"), run.state);
  if (!data) return error ? <Wrong error={error} /> : <Waiting />;
  const path = query.get("file");
  return (
    <>
      {path && <FileView run={run.run} path={path} />}
      <Table
        label="files"
        rows={data.files}
        row={(file) => (file.path === path ? "chosen" : "")}
        columns={[
          { name: "file", cell: (file) => <Link href={`${runHref(run.run, "files")}?file=${encodeURIComponent(file.path)}`}>{file.path}</Link> },
          { name: "size", number: true, cell: (file) => bytes(file.bytes) },
          { name: "written (UTC)", cell: (file) => <span class="soft">{day(new Date(file.modified).toISOString())}</span> },
        ]}
      />
      {data.left_out > 0 && <p class="soft">{data.left_out} more are left out.</p>}
    </>
  );
}

const kMostLogChars = 1_000_000;

// The end of a log, and what is added to it.
function Log(props: { run: string; path: string; running: boolean; word: string }) {
  const [text, setText] = useState("");
  const [note, setNote] = useState("");
  const next = useRef(-1);
  const place = useRef<HTMLPreElement>(null);
  useEffect(() => {
    next.current = -1;
    setText("");
    let current = true;
    let timer = 0;
    const read = async () => {
      try {
        const part = await getJson<FilePart>(fileUrl(props.run, props.path, next.current));
        if (!current) return;
        if (next.current < 0 && part.from > 0) setNote(`starts at byte ${part.from} of the file`);
        next.current = part.next;
        if (part.text) setText((old) => (old + part.text).slice(-kMostLogChars));
      } catch {
        if (current) setNote("connection lost, trying again");
      }
      if (current && props.running) timer = window.setTimeout(read, 1000);
    };
    void read();
    return () => {
      current = false;
      clearTimeout(timer);
    };
  }, [props.run, props.path, props.running]);
  useEffect(() => {
    if (place.current) place.current.scrollTop = place.current.scrollHeight;
  }, [text]);
  const shownText = useMemo(() => {
    if (!props.word) return text;
    const word = props.word.toLowerCase();
    return text.split("\n").filter((line) => line.toLowerCase().includes(word)).join("\n");
  }, [text, props.word]);
  return (
    <>
      {note && <p class="soft">{note}</p>}
      <pre class="log" ref={place} tabIndex={0}>
        {shownText || (props.word ? "no line has these words" : "(nothing was written)")}
      </pre>
    </>
  );
}

export function LogsScreen({ run }: { run: Overview }) {
  const { query } = useRoute();
  const { data, error } = useJson<{ logs: { path: string; bytes: number }[] }>(runPath(run.run, "logs"), run.state);
  if (!data) return error ? <Wrong error={error} /> : <Waiting />;
  if (!data.logs.length) return <Empty>This run has no logs yet.</Empty>;
  const path = query.get("log") ?? data.logs.find((log) => log.bytes > 0)?.path ?? data.logs[0]!.path;
  return (
    <>
      <div class="filters">
        <select aria-label="log" value={path} onChange={(event) => setQuery("log", event.currentTarget.value)}>
          {data.logs.map((log) => (
            <option key={log.path} value={log.path}>
              {log.path.slice(5)} ({bytes(log.bytes)})
            </option>
          ))}
        </select>
        <input type="search" aria-label="search the log" placeholder="lines with …" value={query.get("q") ?? ""} onInput={(event) => setQuery("q", event.currentTarget.value)} />
      </div>
      <Log run={run.run} path={path} running={run.state === "running"} word={query.get("q") ?? ""} />
    </>
  );
}
