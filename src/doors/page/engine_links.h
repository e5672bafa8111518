// SPDX-License-Identifier: Apache-2.0
// Links to an engine's own page, from an "engine_plan" event.
#pragma once

#include "base/json.h"

namespace protium {

// Returns [{"text": "job 4", "href": "http://..."}] for the SQL execution, jobs and stages that ran
// the event's plan, and the session that requested it; empty if the event names no page, or one
// whose address the page may not link to.
Json PlanLinks(const Json& event);

// The same for the executors on that page.
Json ExecutorLinks(const Json& event);

}  // namespace protium
