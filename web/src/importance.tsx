// SPDX-License-Identifier: Apache-2.0
// Feature importance: by permutation for every kind of model, and for forests also by what
// their splits gain and how many rows come to them.
import type { ComponentChildren } from "preact";
import { report } from "./api";
import { counted, grouped, metric, short } from "./format";
import { Panel, Table, type Column } from "./parts";
import { setQuery, useRoute } from "./route";

export interface Importance {
  metric: string;
  value: number;
  rows: number;
  columns: { column: string; value: number; worse: number }[];
}
export interface Splits {
  column: string;
  gain: number;
  cover: number;
  splits: number;
}

const kMost = 25; // Columns that are listed.

interface Row {
  column: string;
  worth: number; // What the bar shows.
  cells: ComponentChildren[];
}
interface Way {
  by: "permutation" | "gain" | "cover";
  heads: string[];
  rows: Row[]; // The most important column first.
  text: ComponentChildren;
}

const percent = (share: number) => (share > 0 && share < 0.001 ? "< 0.1%" : `${Number((100 * share).toPrecision(3))}%`);

function byPermutation(importance: Importance): Way {
  return {
    by: "permutation",
    heads: ["worse by"],
    rows: importance.columns.map((each) => ({ column: each.column, worth: each.worse, cells: [metric(each.worse)] })),
    text: (
      <>
        How much worse {importance.metric} becomes when a column's values are shuffled among {grouped(importance.rows)} validation rows, where it is{" "}
        {metric(importance.value)}. Of columns that say the same, each can do without the other.
      </>
    ),
  };
}

const kOfSplits = {
  gain: "By how much the splits on a column lower the training loss, as a share of what all splits gain. It is known for training rows only, and a column of many different values gains more by chance.",
  cover: "How many training rows come to the splits on a column, each counted with its weight in the loss (the hessian), as a share of those that come to any split.",
};

function bySplits(by: "gain" | "cover", splits: Splits[]): Way {
  const all = Math.max(1e-300, splits.reduce((sum, each) => sum + each[by], 0));
  const order = [...splits].sort((a, b) => b[by] - a[by]);
  return {
    by,
    heads: [`share of ${by}`, "splits"],
    rows: order.map((each) => ({ column: each.column, worth: each[by] / all, cells: [percent(each[by] / all), short(each.splits)] })),
    text: kOfSplits[by],
  };
}

function WayTable({ way }: { way: Way }) {
  const rows = way.rows.slice(0, kMost);
  const most = Math.max(1e-12, ...rows.map((each) => Math.abs(each.worth)));
  const left = way.rows.length - rows.length;
  return (
    <>
      <Table
        label={`importance of columns by ${way.by}`}
        rows={rows}
        columns={[
          { name: "column", wrap: true, cell: (each) => each.column },
          ...way.heads.map((name, at): Column<Row> => ({ name, number: true, cell: (each) => each.cells[at] })),
          {
            name: "beside the most",
            cell: (each) => (
              <div class="worth">
                <div class={each.worth < 0 ? "less" : ""} style={{ width: `${(100 * Math.abs(each.worth)) / most}%` }} />
              </div>
            ),
          },
        ]}
      />
      <p class="soft">{way.text}</p>
      {left > 0 && <p class="soft">{counted(left, "more column")} {left === 1 ? "is" : "are"} worth less.</p>}
    </>
  );
}

const kTitle = "Feature importance";

// On the page one at a time; in a report, which may be printed, one below the other.
export function ImportancePanels(props: { importance: Importance | undefined; splits: Splits[] | undefined }) {
  const { query } = useRoute();
  const ways: Way[] = [];
  if (props.importance?.columns.length) ways.push(byPermutation(props.importance));
  if (Array.isArray(props.splits) && props.splits.length) ways.push(bySplits("gain", props.splits), bySplits("cover", props.splits));
  const chosen = ways.find((each) => each.by === query.get("by")) ?? ways[0];
  if (!chosen) return null;
  if (report) {
    return (
      <>
        {ways.map((way) => (
          <Panel key={way.by} title={ways.length > 1 ? `${kTitle}, by ${way.by}` : kTitle}>
            <WayTable way={way} />
          </Panel>
        ))}
      </>
    );
  }
  return (
    <Panel title={kTitle}>
      {ways.length > 1 && (
        <div class="filters" role="group" aria-label="measured by">
          {ways.map((way) => (
            <button key={way.by} type="button" class="chip" aria-pressed={way === chosen} onClick={() => setQuery("by", way === ways[0] ? "" : way.by)}>
              {way.by}
            </button>
          ))}
        </div>
      )}
      <WayTable way={chosen} />
    </Panel>
  );
}
