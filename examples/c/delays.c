// SPDX-License-Identifier: Apache-2.0
// delays DATA: learns from DATA/flights.csv how late flights land, and prints the first predictions
// for flights that it has not seen. `protium example flights data` makes such a table.
#include <protium/c/arrow.h>
#include <protium/c/protium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char kPipeline[] =
    "[{\"kind\": \"imputer\", \"id\": \"fill\", \"inputs\": [\"dep_delay\", \"distance\"]},"
    " {\"kind\": \"standard_scaler\", \"id\": \"scale\", \"inputs\": [{\"stage\": \"fill\"}]},"
    " {\"kind\": \"torch_estimator\", \"net\": {\"name\": \"tabular_mlp\", \"hidden\": [32]},"
    "  \"numeric\": [{\"stage\": \"scale\"}], \"label\": \"arr_delay\","
    "  \"train\": {\"epochs\": 3}, \"gang\": {\"workers\": 2}}]";

// Ends the program where something failed.
static void Do(pt_error* error) {
  if (error == NULL) return;
  fputs(pt_error_text(error), stderr);
  exit(pt_error_exit(error));
}

static void Tell(const char* event, void* user) {
  (void)user;
  if (strstr(event, "\"event\":\"epoch\"") != NULL) fprintf(stderr, "%s\n", event);
}

// Column 0 is what happened, column 1 what was predicted, both float64.
static void Print(struct ArrowArrayStream* rows) {
  struct ArrowArray batch;
  puts("arr_delay  predicted");
  while (rows->get_next(rows, &batch) == 0 && batch.release != NULL) {
    const double* happened = batch.children[0]->buffers[1];
    const double* predicted = batch.children[1]->buffers[1];
    for (int64_t i = 0; i < batch.length; ++i) {
      printf("%9.0f  %9.1f\n", happened[i + batch.children[0]->offset],
             predicted[i + batch.children[1]->offset]);
    }
    batch.release(&batch);
  }
  if (rows->get_last_error(rows) != NULL) fputs(rows->get_last_error(rows), stderr);
  rows->release(rows);
}

int main(int argc, char** argv) {
  pt_session* session;
  pt_frame *flights, *table, *train, *test, *scored, *shown;
  pt_model* model;
  struct ArrowArrayStream rows;
  char options[4096];
  snprintf(options, sizeof options, "{\"engine\": \"local[2]\", \"base\": \"%s\"}",
           argc > 1 ? argv[1] : "data");
  Do(pt_session_open(options, &session));
  pt_session_on_event(session, Tell, NULL);
  Do(pt_session_read(session, "flights.csv", "{\"null\": \"NA\"}", &flights));
  Do(pt_session_table(session, "flights", flights));
  Do(pt_session_sql(session,
                    "SELECT dep_delay, distance, day, CAST(arr_delay AS DOUBLE) AS arr_delay "
                    "FROM flights WHERE arr_delay IS NOT NULL",
                    &table));
  Do(pt_frame_split(table, "{\"test\": 0.2}", &train, &test));
  Do(pt_frame_fit(train, kPipeline, &model));
  Do(pt_model_transform(model, test, "[\"arr_delay\"]", &scored));
  Do(pt_frame_limit(scored, 5, &shown));
  Do(pt_frame_stream(shown, &rows));
  Print(&rows);
  pt_session_close(session);  // The handles may still be freed; here the process ends.
  return 0;
}
