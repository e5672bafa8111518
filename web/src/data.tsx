// SPDX-License-Identifier: Apache-2.0
// What went in: tables, columns with what the stages learned of them, how rows were split.
import { runPath, useJson } from "./api";
import { bytes, grouped, shown } from "./format";
import { Empty, Facts, Panel, Table, Waiting, Wrong } from "./parts";
import { ProfilePanel } from "./profile";
import type { Json, JsonObject, Overview } from "./types";

interface Data {
  tree?: string;
  tables: Record<string, JsonObject> | null;
  split: JsonObject | null;
  inputs: { path: string; bytes?: number }[] | null;
  schema: JsonObject;
}

interface Scan {
  table: string;
  format: string;
  columns: { name: string; type: string }[];
}

// "scan flights csv [/data/flights.csv]: year int64, ..." as the plan writes it.
function scansOf(tree: string): Scan[] {
  const scans: Scan[] = [];
  for (const line of tree.split("\n")) {
    const found = /^\s*scan (\S+) (\S+) .*?\]: (.*)$/.exec(line);
    if (!found) continue;
    const columns = found[3]!.split(", ").map((each) => {
      const space = each.indexOf(" ");
      return { name: each.slice(0, space), type: each.slice(space + 1) };
    });
    scans.push({ table: found[1]!, format: found[2]!, columns });
  }
  return scans;
}

function columnsOf(schema: JsonObject): JsonObject[] {
  const found: Json | undefined = schema.input;
  return Array.isArray(found) ? found.filter((each): each is JsonObject => each !== null && typeof each === "object" && !Array.isArray(each)) : [];
}

export function DataScreen({ run }: { run: Overview }) {
  const { data, error } = useJson<Data>(runPath(run.run, "plan"), run.state);
  if (!data) return error ? <Wrong error={error} /> : <Waiting />;
  const scans = scansOf(data.tree ?? "");
  const columns = columnsOf(data.schema);
  if (!scans.length && !columns.length && !data.tables) return <Empty>This run has not read any table yet.</Empty>;
  const keys = [...new Set(columns.flatMap((column) => Object.keys(column)))];
  return (
    <div class="panels">
      <Panel title="Rows">
        <Facts
          rows={[
            ["read", run.parts.find((part) => part.name === "etl")?.rows && grouped(run.parts.find((part) => part.name === "etl")!.rows!)],
            ["trained on", run.result.rows && grouped(run.result.rows)],
            ["scored with a label", run.result.metrics?.test?.rows !== undefined && grouped(run.result.metrics.test.rows)],
            ["input", run.input_bytes > 0 && bytes(run.input_bytes)],
            ["split by", data.split && shown(data.split.by)],
            ["held out", data.split && typeof data.split.test === "number" && `${100 * data.split.test}%`],
          ]}
        />
      </Panel>
      <ProfilePanel run={run} />
      {columns.length > 0 && (
        <Panel title="Columns that the model reads" more={`${columns.length}`} wide>
          <Table
            label="columns of the model"
            rows={columns}
            columns={keys.map((key) => ({ name: key.replace(/_/g, " "), wrap: true, cell: (column: JsonObject) => shown(column[key]) }))}
          />
        </Panel>
      )}
      {scans.map((scan) => (
        <Panel key={scan.table} title={scan.table} more={`${scan.format}, ${scan.columns.length} columns`}>
          <div class="columns">
            {scan.columns.map((column) => (
              <span key={column.name}>
                {column.name} <span class="soft">{column.type}</span>
              </span>
            ))}
          </div>
        </Panel>
      ))}
    </div>
  );
}
