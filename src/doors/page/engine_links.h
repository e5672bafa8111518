// SPDX-License-Identifier: Apache-2.0
// Links to an engine's own page, from what an "engine_plan" event says of it.
#pragma once

#include "base/json.h"

namespace protium {

// [{"text": "job 4", "href": "http://..."}] for the SQL execution, jobs and stages that ran the
// event's plan, and the session that asked for it; empty where the event names no page, or one
// whose address is none that a page may link to.
Json PlanLinks(const Json& event);

// The same for the executors on that page.
Json ExecutorLinks(const Json& event);

}  // namespace protium
