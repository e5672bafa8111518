// SPDX-License-Identifier: Apache-2.0
// The events of a run as they come.
//
// A browser opens only six connections to one server, and each stream takes one. So at most three
// tabs hold a stream (locks are shared by all tabs of a browser); the others ask every two seconds.
// A hidden tab does neither, and catches up when it is looked at again.
import { useEffect, useRef, useState } from "preact/hooks";
import { getJson, runPath } from "./api";
import type { RunEvent, State } from "./types";

export type Link = "live" | "lost" | "over";

const kSlots = 3;
const kAskMillis = 2000;
const kOver = new Set<string>(["done", "failed", "stopped", "cut off", "damaged", "gone"]);

interface Listener {
  events(events: RunEvent[]): void;
  state(state: State): void;
  link(link: Link): void;
}

// Runs `hold` while this tab has one of the slots; false if all are taken.
async function withSlot(hold: () => Promise<void>): Promise<boolean> {
  if (!navigator.locks) return false;
  for (let slot = 0; slot < kSlots; ++slot) {
    const held = await navigator.locks.request(
      `protium-stream-${slot}`,
      { ifAvailable: true },
      async (lock) => {
        if (lock) await hold();
        return lock !== null;
      },
    );
    if (held) return true;
  }
  return false;
}

export function follow(run: string, listener: Listener): () => void {
  let next = -1; // The byte of the run's events to go on from; -1: their end.
  let stopped = false;
  let over = false;
  let wake: () => void = () => {};
  const changed = () => wake();
  const pause = (millis: number) =>
    new Promise<void>((done) => {
      const timer = setTimeout(done, millis);
      wake = () => {
        clearTimeout(timer);
        done();
      };
    });
  const takeState = (state: State) => {
    over = kOver.has(state);
    listener.state(state);
    if (over) listener.link("over");
  };

  const stream = () =>
    new Promise<void>((done) => {
      const source = new EventSource(`/api/v1/${runPath(run, `stream?from=${next}`)}`);
      const end = () => {
        source.close();
        done();
      };
      wake = () => {
        if (stopped || document.hidden) end();
      };
      source.addEventListener("open", () => listener.link("live"));
      source.addEventListener("events", (message) => {
        next = Number(message.lastEventId);
        listener.events(JSON.parse(message.data));
      });
      source.addEventListener("state", (message) => {
        takeState(JSON.parse(message.data).state);
        if (over) end();
      });
      source.addEventListener("error", () => {
        listener.link("lost");
        end();
      });
    });

  const ask = async () => {
    try {
      if (next < 0) next = (await getJson<{ next: number }>(runPath(run, "events?from=-1"))).next;
      const page = await getJson<{ events: RunEvent[]; next: number; state: State }>(
        runPath(run, `events?from=${next}`),
      );
      next = page.next;
      listener.link("live");
      if (page.events.length) listener.events(page.events);
      takeState(page.state);
    } catch {
      listener.link("lost");
    }
  };

  const go = async () => {
    while (!stopped && !over) {
      if (document.hidden) {
        await pause(60_000);
        continue;
      }
      if (!(await withSlot(stream))) await ask();
      if (!stopped && !over) await pause(kAskMillis);
    }
  };
  document.addEventListener("visibilitychange", changed);
  void go();
  return () => {
    stopped = true;
    document.removeEventListener("visibilitychange", changed);
    wake();
  };
}

// Counts up at most twice a second while events come, for useJson() to ask again; hands the events
// themselves to `take`.
export function useLive(run: string, state: State | undefined, take?: (e: RunEvent[]) => void) {
  const [beat, setBeat] = useState(0);
  const [link, setLink] = useState<Link>("over");
  const taken = useRef(take);
  taken.current = take;
  const running = state === "running";
  useEffect(() => {
    if (!running) return;
    let timer = 0;
    const soon = () => {
      if (!timer) {
        timer = window.setTimeout(() => {
          timer = 0;
          setBeat((old) => old + 1);
        }, 500);
      }
    };
    const end = follow(run, {
      events: (events) => {
        taken.current?.(events);
        soon();
      },
      state: soon,
      link: setLink,
    });
    return () => {
      end();
      clearTimeout(timer);
    };
  }, [run, running]);
  return { beat, link: running ? link : ("over" as Link) };
}
