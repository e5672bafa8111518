// SPDX-License-Identifier: Apache-2.0
// Protium from C, and so from any language: tables in and out as Arrow C streams, SQL, pipelines,
// models. Link libprotium_c; it exports these functions and nothing else. The room c implements it.
//
//   pt_session* session;
//   pt_error* error = pt_session_open("{\"engine\": \"local[2]\"}", &session);
//   if (error) { fputs(pt_error_text(error), stderr); exit(pt_error_exit(error)); }
//
// 1. Errors. A function that can fail returns NULL, or an error that the caller frees. What it
//    would have given through a pointer is untouched then.
// 2. Texts are UTF-8 and end with a zero byte. Those given out are freed with pt_string_free(), but
//    for the parts of an error, which live as long as it does. Texts passed in are copied.
// 3. Options are JSON, with the keys that job files have (docs/job.md, `protium help stages`). NULL
//    and "" stand for {}. An unknown key is an error that names the nearest one.
// 4. Threads. Any function may be called from any thread. Calls that use one session take turns;
//    those that use different ones do not. Streams that were given out are each used by one thread
//    at a time, beside whatever else goes on.
// 5. What was given out may be freed in any order, also after the session was closed; everything
//    else then fails. Freeing NULL does nothing.
// 6. Training, and scoring tables, happen in worker processes: the program `protium` that was
//    installed with the library, or the one that the session's options name.
// 7. After fork() the child must not call these functions on what its parent opened.
#pragma once

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// Grows with what is added; a library serves all programs built for its number or a lower one.
#define PT_ABI_VERSION 2
int32_t pt_abi_version(void);
// "0.1.0". Not to be freed.
const char* pt_version(void);

// Of the Arrow C data and stream interfaces; the definitions are Arrow's.
struct ArrowSchema;
struct ArrowArray;
struct ArrowArrayStream;

typedef struct pt_error pt_error;
typedef struct pt_session pt_session;
typedef struct pt_frame pt_frame;    // A table that is not computed yet.
typedef struct pt_model pt_model;    // A fitted pipeline.
typedef struct pt_scorer pt_scorer;  // One that predicts in this process.

void pt_string_free(char* text);

// ---- Errors. One cause, told once; parts that do not apply are "".

// The exit code that the command would have: 1 failed, 2 the request is wrong, 3 an input, 4 the
// environment, 5 something remote, 6 no room, 7 stalled, 70 a mistake of ours, 75 stopped on
// purpose.
int32_t pt_error_exit(const pt_error* error);
const char* pt_error_what(const pt_error* error);
const char* pt_error_where(const pt_error* error);
const char* pt_error_why(const pt_error* error);
const char* pt_error_fix(const pt_error* error);
const char* pt_error_kept(const pt_error* error);
// All parts as the command prints them; several lines.
const char* pt_error_text(const pt_error* error);
void pt_error_free(pt_error* error);

// ---- Sessions.

// Options, all of which may be left out:
//   engine      "local", "local[4]", "sc://host:15002", or an object as [engine] of a job file
//   folder      keeps logs, checkpoints and models; unless set, a temporary one, gone at the end
//   base        relative paths start here; unless set, the working directory
//   force       whether files that are there may be written over
//   extensions  shared libraries with your own nets
//   program     what workers are; unless set, bin/protium beside the folder of the library
pt_error* pt_session_open(const char* options, pt_session** session);
// Stops what runs, waits for it and frees the session. Workers end once its streams are released.
void pt_session_close(pt_session* session);
// Makes the call that uses the session, if there is one, and its streams end soon with exit 75;
// training saves a checkpoint first. Does not wait. Later calls are not affected.
void pt_session_cancel(pt_session* session);
// `event` is one JSON object with the key "event" (include/protium/events.h), valid during the
// call. Called on threads of the session's, one call at a time, while another function uses the
// session; must return soon. It must call nothing of this interface but pt_session_cancel().
typedef void (*pt_event_function)(const char* event, void* user);
// NULL: nobody listens. Once this returns, the former function is not called any more.
void pt_session_on_event(pt_session* session, pt_event_function function, void* user);

// ---- Tables.

// Files as a table. `options` are those of a table of a job file: format, partitions, null,
// delimiter, ...; `path` may be NULL where they have file, csv, parquet or table.
pt_error* pt_session_read(pt_session* session, const char* path, const char* options,
                          pt_frame** frame);
// Rows that the caller has. Takes over the stream, whatever comes of it, reads it to its end, a few
// batches at a time, and keeps the rows in a file of the session's until nothing needs them. `name`
// appears in messages.
pt_error* pt_session_bring(pt_session* session, const char* name, struct ArrowArrayStream* rows,
                           pt_frame** frame);
// Gives the table a name for pt_session_sql(); another one of that name is replaced for later
// calls.
pt_error* pt_session_table(pt_session* session, const char* name, const pt_frame* frame);
// A SELECT over the tables named so far, in Spark's dialect. Checked now, run when it is read.
pt_error* pt_session_sql(pt_session* session, const char* text, pt_frame** frame);

// The columns as a struct, as in an Arrow C stream. Moves no rows.
pt_error* pt_frame_schema(const pt_frame* frame, struct ArrowSchema* schema);
// Runs the plan; rows come as they are computed. A stream that fails returns EIO from get_next and
// pt_error_text() from get_last_error; pt_frame_failure() has the parts. Released by the caller.
pt_error* pt_frame_stream(const pt_frame* frame, struct ArrowArrayStream* rows);
// Why the last stream of this frame that failed did; NULL: none has.
pt_error* pt_frame_failure(const pt_frame* frame);
pt_error* pt_frame_count(const pt_frame* frame, int64_t* rows);
// The columns that `names`, a JSON list, has, in its order.
pt_error* pt_frame_select(const pt_frame* frame, const char* names, pt_frame** selected);
// At most `rows` rows; which ones is up to the engine.
pt_error* pt_frame_limit(const pt_frame* frame, int64_t rows, pt_frame** limited);
// The same rows, computed at most once per session; what is built on the result reads the kept
// ones.
pt_error* pt_frame_keep(const pt_frame* frame, pt_frame** kept);
// Both sides of a split that is the same on every engine and in every run. Options: by, test, seed,
// column, as [split] of a job file has them.
pt_error* pt_frame_split(const pt_frame* frame, const char* options, pt_frame** train,
                         pt_frame** test);
// Writes the rows in the format that the name ends with: .parquet, .csv, .jsonl, .arrow; text also
// with .gz or .zst. Options: partitions, columns whose values become names of folders. A file that
// is there and was not written by this session is refused, unless the session has "force".
pt_error* pt_frame_write(const pt_frame* frame, const char* path, const char* options);
// What running it would do: {"engine", "tree", "sql", "not_exact", "placement"}.
pt_error* pt_frame_plan(const pt_frame* frame, char** json);
void pt_frame_free(pt_frame* frame);

// ---- Pipelines and models.

// `pipeline` is a JSON list of stages, as [[pipeline]] of a job file: each an object with "kind"
// and its options, an estimator ("torch_estimator", with "net", "train", "gang", "loss") last or
// not at all. Checks it against the columns and gives it with every default filled in:
// {"pipeline", "stages", "training"}. Reads no rows.
pt_error* pt_frame_check(const pt_frame* frame, const char* pipeline, char** json);
// Learns from the rows. Everything that can be checked without them is checked first. Blocks until
// the net is trained. Cancelled, it fails with exit 75.
pt_error* pt_frame_fit(const pt_frame* frame, const char* pipeline, pt_model** model);
// The table with the model's predictions; without an estimator, with the outputs of all stages.
// `keep` is a JSON list of the columns to carry along, NULL: all.
pt_error* pt_model_transform(const pt_model* model, const pt_frame* frame, const char* keep,
                             pt_frame** scored);
// {"pipeline", "metrics", "input", "classes"}: the stages with all options, what was measured, the
// columns of the table that it was fitted on, and its classes as text, in the order of their
// probabilities.
pt_error* pt_model_describe(const pt_model* model, char** json);
// Writes the model's folder (docs/model-folder.md), whole or not at all. A model that is there is
// replaced; anything else there is refused.
pt_error* pt_model_save(const pt_model* model, const char* folder);
pt_error* pt_session_load(pt_session* session, const char* folder, pt_model** model);
void pt_model_free(pt_model* model);

// ---- Predictions in the calling process, for rows that come one by one: without workers, without
// LibTorch, with the bits of pt_model_transform(). Since version 2.

// Refuses, by name, nets that LibTorch computes (all but tabular_mlp, linear and wide_and_deep).
// The scorer needs neither the model nor the session any longer; its functions may be called by
// several threads at once.
pt_error* pt_scorer_open(const pt_model* model, pt_scorer** scorer);
// {"input", "output"}: the columns that rows must have, and those of predictions.
pt_error* pt_scorer_describe(const pt_scorer* scorer, char** json);
// A batch of rows, a struct as in an Arrow C stream, which is taken over whatever comes of it; and
// one of predictions, a row for each, which the caller releases. Columns are found by name.
pt_error* pt_scorer_score(const pt_scorer* scorer, struct ArrowSchema* schema,
                          struct ArrowArray* rows, struct ArrowSchema* predicted_schema,
                          struct ArrowArray* predicted);
// The same for rows as JSON: an object gives an object, a list of objects a list. Each row has all
// columns that the model reads, null where a value is missing; others are passed over.
pt_error* pt_scorer_score_json(const pt_scorer* scorer, const char* rows, char** predictions);
void pt_scorer_free(pt_scorer* scorer);

#ifdef __cplusplus
}
#endif
