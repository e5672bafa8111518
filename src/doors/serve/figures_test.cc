// SPDX-License-Identifier: Apache-2.0
#include "serve/figures.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace protium {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

TEST(ServeFigures, AreCountersAndAHistogram) {
  ServeFigures figures;
  figures.Responded(200, 1500us);
  figures.Responded(200, 2s);
  figures.Responded(400, 100us);
  figures.Scored(7);
  figures.Reloaded(false);
  const std::string text = figures.Text(
      {.waiting_rows = 3, .generation = 2, .kept_rows = 11, .drifts = {{"a \"b\"", 0.25}}});
  EXPECT_THAT(text, HasSubstr("protium_serve_requests_total{status=\"200\"} 2\n"));
  EXPECT_THAT(text, HasSubstr("protium_serve_requests_total{status=\"400\"} 1\n"));
  EXPECT_THAT(text, HasSubstr("protium_serve_seconds_bucket{le=\"0.001\"} 1\n"));
  EXPECT_THAT(text, HasSubstr("protium_serve_seconds_bucket{le=\"0.002\"} 2\n"));
  EXPECT_THAT(text, HasSubstr("protium_serve_seconds_bucket{le=\"+Inf\"} 3\n"));
  EXPECT_THAT(text, HasSubstr("protium_serve_seconds_count 3\n"));
  EXPECT_THAT(text, HasSubstr("protium_serve_rows_total 7\n"));
  EXPECT_THAT(text, HasSubstr("protium_serve_waiting_rows 3\n"));
  EXPECT_THAT(text, HasSubstr("protium_serve_failed_reloads_total 1\n"));
  EXPECT_THAT(text, HasSubstr("protium_serve_generation 2\n"));
  EXPECT_THAT(text, HasSubstr("protium_serve_kept_rows_total 11\n"));
  EXPECT_THAT(text, HasSubstr(R"(protium_serve_drift{column="a \"b\""} 0.2500)"));
}

}  // namespace
}  // namespace protium
