// SPDX-License-Identifier: Apache-2.0
// A form that scores one row with the run's model.
import type { ComponentChildren } from "preact";
import { useMemo, useState } from "preact/hooks";
import { report, Refused, runPath, sendJson, server, useJson } from "./api";
import { metric, shown } from "./format";
import { Facts, Panel, Wrong } from "./parts";
import { usualOf, type Profile } from "./profile";
import type { Json, JsonObject, Overview } from "./types";

export interface InputColumn {
  name: string;
  type: string;
}

const kMostFields = 200;

// What somebody has typed, as JSON has it; nothing typed is a value that is missing.
function valueOf(text: string, type: string): Json {
  const words = text.trim();
  if (words === "") return null;
  if (type.startsWith("list")) return JSON.parse(words) as Json;
  if (type === "bool") return words === "true";
  if (/^(int|float)/.test(type)) {
    const number = Number(words);
    if (Number.isNaN(number)) throw new Error(`${words} is not a number`);
    return number;
  }
  return type === "string" ? text : words;
}

function Field({ column, text, set }: { column: InputColumn; text: string; set: (text: string) => void }) {
  const id = `try-${column.name}`;
  return (
    <div>
      <label for={id}>
        {column.name} <span class="soft">{column.type}</span>
      </label>
      <input id={id} value={text} placeholder="missing" autocomplete="off" onInput={(event) => set(event.currentTarget.value)} />
    </div>
  );
}

function Form({ run, columns, profile }: { run: Overview; columns: InputColumn[]; profile: Profile | null }) {
  const usual = useMemo(() => Object.fromEntries(columns.map((column) => [column.name, usualOf(profile, column.name, column.type)])), [profile, columns]);
  const [typed, setTyped] = useState<Record<string, string>>({});
  const [answer, setAnswer] = useState<JsonObject | null>(null);
  const [wrong, setWrong] = useState<Refused | null>(null);
  const [busy, setBusy] = useState(false);
  const textOf = (name: string) => typed[name] ?? usual[name] ?? "";
  const score = async () => {
    setBusy(true);
    try {
      const row: JsonObject = {};
      for (const column of columns) {
        try {
          row[column.name] = valueOf(textOf(column.name), column.type);
        } catch (error) {
          throw new Refused(0, `${column.name}: ${(error as Error).message}`, `it is of the type ${column.type}`);
        }
      }
      const told = await sendJson<{ predictions: JsonObject[] }>("POST", runPath(run.run, "score"), { rows: [row] });
      setAnswer(told.predictions[0] ?? {});
      setWrong(null);
    } catch (error) {
      setWrong(error as Refused);
      setAnswer(null);
    }
    setBusy(false);
  };
  return (
    <form
      class="try"
      onSubmit={(event) => {
        event.preventDefault();
        void score();
      }}
    >
      <div class="try-fields">
        {columns.slice(0, kMostFields).map((column) => (
          <Field key={column.name} column={column} text={textOf(column.name)} set={(text) => setTyped((old) => ({ ...old, [column.name]: text }))} />
        ))}
      </div>
      {columns.length > kMostFields && <p class="soft">{columns.length - kMostFields} more columns are given as they usually are.</p>}
      <button type="submit" disabled={busy}>
        {busy ? "scoring …" : "score this row"}
      </button>
      {wrong && <Wrong error={wrong} />}
      <div role="status">
        {answer && <Facts rows={Object.entries(answer).map(([name, value]): [string, ComponentChildren] => [name, <b>{typeof value === "number" ? metric(value) : shown(value)}</b>])} />}
      </div>
    </form>
  );
}

export function TryIt({ run, columns }: { run: Overview; columns: InputColumn[] }) {
  const { data: profile } = useJson<Profile>(server.changes ? runPath(run.run, "profile") : null, run.state);
  if (report || !run.has.model || !columns.length) return null;
  return (
    <Panel title="Try it" more="one row, scored by this model" wide>
      {server.changes ? (
        <Form run={run} columns={columns} profile={profile} />
      ) : (
        <p class="soft">
          Here a row is scored where the page has a token: <code>protium ui --token</code>
        </p>
      )}
    </Panel>
  );
}
