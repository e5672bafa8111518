// SPDX-License-Identifier: Apache-2.0
// What changes runs: tags, a note, and deleting, where the server was started with a token.
import { useState } from "preact/hooks";
import { Refused, runPath, sendJson, server } from "./api";
import { counted } from "./format";
import { Wrong } from "./parts";

// Asks once more before it deletes. `done` follows when all are gone, or one could not be.
export function Delete({ runs, done }: { runs: string[]; done: () => void }) {
  const [asked, setAsked] = useState(false);
  const [wrong, setWrong] = useState<Refused | null>(null);
  if (!server.changes) return null;
  const remove = async () => {
    setAsked(false);
    setWrong(null);
    try {
      for (const run of runs) {
        // One that is gone already is what was wanted.
        await sendJson("DELETE", runPath(run)).catch((error: Refused) => {
          if (error.status !== 404) throw error;
        });
      }
      done();
    } catch (error) {
      setWrong(error as Refused);
    }
  };
  return (
    <>
      {asked ? (
        <>
          <button type="button" class="bad" onClick={() => void remove()}>
            delete {runs.length === 1 ? runs[0] : counted(runs.length, "run")} for good
          </button>
          <button type="button" class="small" onClick={() => setAsked(false)}>
            no
          </button>
        </>
      ) : (
        <button type="button" onClick={() => setAsked(true)}>
          delete
        </button>
      )}
      {wrong && <Wrong error={wrong} />}
    </>
  );
}

export function Labels(props: { run: string; tags: string[]; note: string; done: () => void }) {
  const [open, setOpen] = useState(false);
  const [wrong, setWrong] = useState<Refused | null>(null);
  if (!server.changes) return null;
  if (!open) {
    return (
      <button type="button" class="small" onClick={() => setOpen(true)}>
        tags and note
      </button>
    );
  }
  const save = async (form: HTMLFormElement) => {
    const fields = new FormData(form);
    const tags = String(fields.get("tags")).split(/[\s,]+/).filter(Boolean);
    try {
      await sendJson("POST", runPath(props.run, "labels"), { tags, note: String(fields.get("note")) });
      setOpen(false);
      setWrong(null);
      props.done();
    } catch (error) {
      setWrong(error as Refused);
    }
  };
  return (
    <form
      class="labels"
      onSubmit={(event) => {
        event.preventDefault();
        void save(event.currentTarget);
      }}
    >
      <input name="tags" aria-label="tags" placeholder="tags" value={props.tags.join(" ")} autocomplete="off" />
      <input name="note" aria-label="note" placeholder="note" value={props.note} autocomplete="off" />
      <button type="submit">save</button>
      <button type="button" class="small" onClick={() => setOpen(false)}>
        no
      </button>
      {wrong && <Wrong error={wrong} />}
    </form>
  );
}
