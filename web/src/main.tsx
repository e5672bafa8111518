// SPDX-License-Identifier: Apache-2.0
// The page of runs. Everything that it knows comes from /api/v1 of the server that sent it, or in a
// report from the file itself.
import "uplot/dist/uPlot.min.css";
import "./style.css";
import { render } from "preact";
import { useEffect, useState } from "preact/hooks";
import { getJson, logIn, logInFromAddress, Refused, report, server } from "./api";
import { Compare } from "./compare";
import { Brand, Empty, Fenced, Link } from "./parts";
import { ReportPage } from "./report";
import { useRoute } from "./route";
import { RunScreen } from "./run";
import { Runs } from "./runs";
import { Streams, StreamScreen } from "./streams";

function Screen() {
  const { path } = useRoute();
  useEffect(() => {
    document.title = (path[0] === "runs" || path[0] === "streams") && path[1] ? `${path[1]} · Protium` : "Protium";
  }, [path[0], path[1]]);
  if (!path.length) return <Runs />;
  if (path[0] === "compare") return <Compare />;
  if (path[0] === "streams") return path[1] ? <StreamScreen key={path[1]} name={path[1]} /> : <Streams />;
  if (path[0] === "runs" && path[1]) return <RunScreen key={path[1]} name={path[1]} screen={path[2] ?? ""} />;
  return <Empty>There is nothing at this address.</Empty>;
}

function TokenForm({ done }: { done: () => void }) {
  const [wrong, setWrong] = useState(false);
  return (
    <form
      class="token"
      onSubmit={(event) => {
        event.preventDefault();
        const token = new FormData(event.currentTarget).get("token") as string;
        void logIn(token.trim()).then((ok) => (ok ? done() : setWrong(true)));
      }}
    >
      <h1>Token</h1>
      <p>
        This server is open to other machines and asks for the token that <code>protium ui</code> printed.
      </p>
      <input name="token" type="password" aria-label="token" autocomplete="off" required />
      <button type="submit">open</button>
      {wrong && <p role="alert">This is not the token of the server that runs now.</p>}
    </form>
  );
}

function App() {
  const [locked, setLocked] = useState<boolean | null>(null);
  const look = () =>
    getJson<{ changes?: boolean }>("").then(
      (index) => {
        server.changes = index.changes === true;
        setLocked(false);
      },
      (error: Refused) => setLocked(error.status === 401),
    );
  useEffect(() => void logInFromAddress().then(look), []);
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      const typing = event.target instanceof HTMLInputElement || event.target instanceof HTMLSelectElement;
      if (event.key !== "/" || typing) return;
      const field = document.querySelector<HTMLInputElement>("input[type=search]");
      if (field) {
        event.preventDefault();
        field.focus();
      }
    };
    document.addEventListener("keydown", press);
    return () => document.removeEventListener("keydown", press);
  }, []);
  return (
    <>
      <a class="skip" href="#content">
        to the content
      </a>
      <header class="top">
        <Link href="/" class="brand">
          <Brand />
        </Link>
        <nav aria-label="main">
          <Link href="/">runs</Link> <Link href="/streams">streams</Link>
        </nav>
      </header>
      <main id="content" tabIndex={-1}>
        {locked === true ? <TokenForm done={() => void look()} /> : locked === false ? <Fenced><Screen /></Fenced> : null}
      </main>
    </>
  );
}

render(report ? <ReportPage report={report} /> : <App />, document.getElementById("page")!);
