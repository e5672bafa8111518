// SPDX-License-Identifier: Apache-2.0
// The CSS of report.html, within the page so that it is one file. Colors are variables, set once
// for light and once for dark screens; .line0 to .key4 are those of series and phases.
#pragma once

namespace protium {

// Goes into <style> as it is.
inline constexpr const char* kReportStyle = R"css(
:root { --ground:#fff; --card:#f6f7f9; --ink:#1c2330; --soft:#5d6878; --rule:#dfe3e9;
  --c0:#2563c9; --c1:#d9660b; --c2:#0f8a6c; --c3:#9a3fb5; --good:#0f7a4f; --bad:#b3261e; }
@media (prefers-color-scheme: dark) { :root { --ground:#14181f; --card:#1d232c; --ink:#e7ebf1;
  --soft:#9aa6b6; --rule:#323b47; --c0:#6ea8ff; --c1:#ff9d54; --c2:#4fd0ab; --c3:#d68bf0;
  --good:#4fd09a; --bad:#ff8a80; } }
* { box-sizing:border-box; }
body { margin:0; background:var(--ground); color:var(--ink);
  font:15px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; }
main { max-width:1120px; margin:0 auto; padding:32px 24px 64px; }
h1 { font-size:26px; margin:0; letter-spacing:-.01em; }
h2 { font-size:17px; margin:36px 0 12px; }
p { margin:6px 0; } .soft { color:var(--soft); }
code, pre, .num { font-family:ui-monospace, "SF Mono", Menlo, Consolas, monospace; font-size:13px; }
.num { text-align:right; font-variant-numeric:tabular-nums; white-space:nowrap; }
.state { display:inline-block; padding:1px 10px; border-radius:99px; font-size:13px; margin-left:10px;
  vertical-align:4px; border:1px solid currentColor; }
.done { color:var(--good); } .failed { color:var(--bad); } .stopped { color:var(--c1); }
.tiles { display:grid; grid-template-columns:repeat(auto-fit, minmax(160px, 1fr)); gap:12px;
  margin:22px 0 4px; }
.tile { background:var(--card); border-radius:10px; padding:12px 16px; }
.tile b { display:block; font-size:23px; font-weight:600; font-variant-numeric:tabular-nums; }
.tile span { color:var(--soft); font-size:13px; }
.fault { background:var(--card); border-left:4px solid var(--bad); border-radius:6px;
  padding:12px 18px; margin:20px 0; overflow-x:auto; }
.fault pre { margin:0; padding:0; background:none; white-space:pre-wrap; }
.charts { display:grid; grid-template-columns:repeat(auto-fit, minmax(310px, 1fr)); gap:14px; }
figure { margin:0; background:var(--card); border-radius:10px; padding:14px 16px; min-width:0; }
.wide { grid-column:1 / -1; }
figcaption { font-weight:600; font-size:14px; margin-bottom:6px; }
svg { width:100%; height:auto; display:block; }
svg text { fill:var(--soft); font-size:14px; font-family:inherit; }
.grid { stroke:var(--rule); } .axis { stroke:var(--soft); }
.mark { stroke:var(--soft); stroke-dasharray:3 4; }
polyline { fill:none; stroke-width:2; stroke-linejoin:round; stroke-linecap:round; }
.line0 { stroke:var(--c0); } .line1 { stroke:var(--c1); } .line2 { stroke:var(--c2); }
.line3 { stroke:var(--c3); } .dot0 { fill:var(--c0); } .dot1 { fill:var(--c1); }
.dot2 { fill:var(--c2); } .dot3 { fill:var(--c3); }
.legend { display:flex; flex-wrap:wrap; gap:4px 18px; font-size:13px; color:var(--soft);
  margin-top:6px; }
.legend i { display:inline-block; width:14px; height:3px; border-radius:2px; margin-right:6px;
  vertical-align:middle; }
.key0 { background:var(--c0); } .key1 { background:var(--c1); } .key2 { background:var(--c2); }
.key3 { background:var(--c3); } .key4 { background:var(--rule); }
.bar { display:flex; height:22px; border-radius:6px; overflow:hidden; margin:4px 0 8px; }
.bar div { min-width:1px; }
table { border-collapse:collapse; width:100%; }
th, td { text-align:left; padding:5px 14px 5px 0; border-bottom:1px solid var(--rule);
  vertical-align:top; }
th { color:var(--soft); font-weight:500; font-size:13px; } th.num { font-family:inherit; }
td { overflow-wrap:break-word; min-width:4.5em; } td:first-child { white-space:nowrap; }
tr.soft td { color:var(--soft); } tr.best td { font-weight:600; } .scroll { overflow-x:auto; }
details { margin-top:12px; } summary { cursor:pointer; color:var(--soft); }
pre { background:var(--card); border-radius:8px; padding:12px 14px; overflow-x:auto; }
@media print { main { padding:0; } details { display:block; } }
)css";

}  // namespace protium
