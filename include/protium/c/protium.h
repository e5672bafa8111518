// SPDX-License-Identifier: Apache-2.0
// Protium from C, and so from any language: tables in and out as Arrow C streams, SQL, pipelines,
// models. Link libprotium_c; it exports these functions and nothing else. Implemented by the room
// c.
//
//   pt_session* session;
//   pt_error* error = pt_session_open("{\"engine\": \"local[2]\"}", &session);
//   if (error) { fputs(pt_error_text(error), stderr); exit(pt_error_exit(error)); }
//
// 1. Errors. A function that can fail returns NULL on success, or an error that the caller frees.
//    On an error its output pointers are untouched.
// 2. Texts are UTF-8 and end with a zero byte. Free returned texts with pt_string_free(), except
//    the parts of an error, which live as long as the error. Texts passed in are copied.
// 3. Options are JSON, with the keys of job files (docs/job.md, `protium help stages`). NULL and ""
//    mean {}. An unknown key is an error that names the nearest one.
// 4. Threads. Any function may be called on any thread. Calls that use the same session take turns;
//    those that use different sessions do not. A returned stream may be used by one thread at a
//    time, concurrently with anything else.
// 5. Handles may be freed in any order, even after the session was closed; any other use of them
//    then fails. Freeing NULL does nothing.
// 6. Training and scoring tables happen in worker processes, which run the program `protium`
//    installed with the library, or the one named in the session's options.
// 7. After fork() the child must not call these functions on what its parent opened.
#pragma once

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// Increases with every addition; a library serves all programs built for its number or a lower one.
#define PT_ABI_VERSION 7
int32_t pt_abi_version(void);
// "0.1.0". Must not be freed.
const char* pt_version(void);

// From the Arrow C data and stream interfaces; Arrow defines them.
struct ArrowSchema;
struct ArrowArray;
struct ArrowArrayStream;

typedef struct pt_error pt_error;
typedef struct pt_session pt_session;
typedef struct pt_frame pt_frame;    // A table that has not been computed yet.
typedef struct pt_model pt_model;    // A fitted pipeline.
typedef struct pt_scorer pt_scorer;  // A model that predicts in this process.
typedef struct pt_search pt_search;  // A search whose trials the caller measures.

void pt_string_free(char* text);

// ---- Errors. One cause, reported once; parts that do not apply are "".

// The exit code that the command would have: 1 failed, 2 the request is wrong, 3 an input, 4 the
// environment, 5 something remote, 6 no room, 7 stalled, 70 a bug of ours, 75 stopped on purpose.
int32_t pt_error_exit(const pt_error* error);
const char* pt_error_what(const pt_error* error);
const char* pt_error_where(const pt_error* error);
const char* pt_error_why(const pt_error* error);
const char* pt_error_fix(const pt_error* error);
const char* pt_error_kept(const pt_error* error);
// All parts as the command prints them, on several lines.
const char* pt_error_text(const pt_error* error);
void pt_error_free(pt_error* error);

// ---- Sessions.

// Options, all of them optional:
//   engine      "local", "local[4]", "sc://host:15002", or an object as [engine] of a job file
//   folder      stores logs, checkpoints and models; default: a temporary one, removed at the end
//   base        where relative paths start; default: the working directory
//   force       whether existing files may be overwritten
//   store       whether frames of pt_frame_keep(), and what is learned of them, outlive the session
//               (docs/kept.md): true or false
//   extensions  shared libraries with your own nets
//   program     the workers' program; default: bin/protium beside the folder of the library
pt_error* pt_session_open(const char* options, pt_session** session);
// Stops what runs, waits for it and frees the session. Workers end when its streams are released.
void pt_session_close(pt_session* session);
// Makes the call that uses the session, if any, and the session's streams end soon with exit 75;
// training saves a checkpoint first. Does not wait. Later calls are not affected.
void pt_session_cancel(pt_session* session);
// `event` is one JSON object with the key "event" (include/protium/events.h), valid during the
// call. Called on the session's threads, one call at a time, while another function uses the
// session; must return soon. It must not call any function of this interface except
// pt_session_cancel().
typedef void (*pt_event_function)(const char* event, void* user);
// NULL removes the listener. After this returns, the previous function is no longer called.
void pt_session_on_event(pt_session* session, pt_event_function function, void* user);

// ---- Tables.

// Opens files as a table. `options` are those of a table of a job file: format, partitions, null,
// delimiter, ...; `path` may be NULL if they contain file, csv, parquet or table.
pt_error* pt_session_read(pt_session* session, const char* path, const char* options,
                          pt_frame** frame);
// Makes a table of the caller's rows. Takes over the stream in any case, reads it to its end, a few
// batches at a time, and stores the rows in a file of the session until nothing needs them. `name`
// appears in messages.
pt_error* pt_session_bring(pt_session* session, const char* name, struct ArrowArrayStream* rows,
                           pt_frame** frame);
// Names the table for pt_session_sql(). A later table of that name replaces it for later calls.
pt_error* pt_session_table(pt_session* session, const char* name, const pt_frame* frame);
// A SELECT over the tables named so far, in Spark's dialect. Checked now, run when it is read.
pt_error* pt_session_sql(pt_session* session, const char* text, pt_frame** frame);

// Returns the columns as a struct, as in an Arrow C stream. Moves no rows.
pt_error* pt_frame_schema(const pt_frame* frame, struct ArrowSchema* schema);
// Runs the plan; rows arrive as they are computed. A stream that fails returns EIO from get_next
// and pt_error_text() from get_last_error; pt_frame_failure() has the parts. The caller releases
// it.
pt_error* pt_frame_stream(const pt_frame* frame, struct ArrowArrayStream* rows);
// Returns the error of this frame's last failed stream; NULL if none has failed.
pt_error* pt_frame_failure(const pt_frame* frame);
pt_error* pt_frame_count(const pt_frame* frame, int64_t* rows);
// Selects the columns in `names`, a JSON list, in its order.
pt_error* pt_frame_select(const pt_frame* frame, const char* names, pt_frame** selected);
// At most `rows` rows; the engine decides which.
pt_error* pt_frame_limit(const pt_frame* frame, int64_t rows, pt_frame** limited);
// The same rows, computed at most once per session; whatever is built on the result reads the kept
// rows.
pt_error* pt_frame_keep(const pt_frame* frame, pt_frame** kept);
// Runs the frame and keeps its rows, as they are at this moment, under a name: every session of the
// user on this machine reads them as the file "kept:NAME", until others are kept under it. Embedded
// engine only. Since version 7.
pt_error* pt_frame_keep_as(const pt_frame* frame, const char* name, pt_frame** kept);
// Both sides of a split that is the same on every engine and in every run. Options: by, test, seed,
// column, as in [split] of a job file.
pt_error* pt_frame_split(const pt_frame* frame, const char* options, pt_frame** train,
                         pt_frame** test);
// Writes the rows in the format of the name's ending: .parquet, .csv, .jsonl, .arrow; text formats
// also with .gz or .zst. Options: partitions, columns whose values become folder names. Refuses to
// replace an existing file that this session did not write, unless the session has "force".
pt_error* pt_frame_write(const pt_frame* frame, const char* path, const char* options);
// Describes what running it would do: {"engine", "tree", "sql", "not_exact", "placement"}.
pt_error* pt_frame_plan(const pt_frame* frame, char** json);
// Returns an object with the columns that give `label` away by themselves, and for each the reason.
// Reads the rows twice. Since version 3.
pt_error* pt_frame_leaks(const pt_frame* frame, const char* label, char** json);
// Returns a list of sentences on what `test`, a frame of the same session, shares with the training
// rows: copies of rows, and ids such as "patient_id" whose rows are alike. Reads at most a million
// rows of each. Since version 6.
pt_error* pt_frame_split_leaks(const pt_frame* train, const pt_frame* test, const char* label,
                               char** json);
// Returns an object with the columns of text most of whose values are dates or times of one
// pattern, and for each the SQL expression that reads it, odd values as NULL. Reads the rows once
// or twice. Since version 4.
pt_error* pt_frame_text_times(const pt_frame* frame, char** json);
void pt_frame_free(pt_frame* frame);

// ---- Pipelines and models.

// `pipeline` is a JSON list of stages, like [[pipeline]] of a job file: each is an object with
// "kind" and its options; an estimator ("torch_estimator", with "net", "train", "gang", "loss")
// must come last, if there is one. Checks it against the columns and returns it with every default
// filled in: {"pipeline", "stages", "training"}. Reads no rows.
pt_error* pt_frame_check(const pt_frame* frame, const char* pipeline, char** json);
// Learns from the rows. Everything that can be checked without them is checked first. Blocks until
// the net is trained. If cancelled, fails with exit 75. Each fit is a run with a folder of its own
// below fits/ in the session's folder, as `protium run` leaves one.
pt_error* pt_frame_fit(const pt_frame* frame, const char* pipeline, pt_model** model);
// The table with the model's predictions or, without an estimator, the outputs of all stages.
// `keep` is a JSON list of the columns to carry along; NULL: all.
pt_error* pt_model_transform(const pt_model* model, const pt_frame* frame, const char* keep,
                             pt_frame** scored);
// Scores rows that have their labels and returns {"metrics", "diagnostics"}: what `protium run`
// measures on test rows. Since version 3.
pt_error* pt_model_evaluate(const pt_model* model, const pt_frame* frame, char** json);
// Returns a list of sentences on what a model's results say against themselves: one feature has
// most of the importance of a model that is very good, or test rows are predicted far better or
// worse than validation rows. Of `rows`, which have labels, at most 20,000 are read for what always
// guessing would give. Options: measured, the metrics of test rows, which are then compared with
// those of the validation rows; known, features that are no surprise. Since version 7.
pt_error* pt_model_doubts(const pt_model* model, const pt_frame* rows, const char* options,
                          char** json);
// Returns {"pipeline", "metrics", "input", "classes", "run"}: the stages with all options, what was
// measured, the columns of the table it was fitted on, its classes as text, in the order of their
// probabilities, and the folder of the run that fitted it, null for a model that was loaded.
pt_error* pt_model_describe(const pt_model* model, char** json);
// Writes the model's folder (docs/model-folder.md), whole or not at all. Replaces an existing
// model; refuses to replace anything else.
pt_error* pt_model_save(const pt_model* model, const char* folder);
pt_error* pt_session_load(pt_session* session, const char* folder, pt_model** model);
void pt_model_free(pt_model* model);
// Writes report.html into the folder of a run and returns its path. Since version 3.
pt_error* pt_run_report(const char* folder, char** path);

// ---- Predictions in the calling process, for rows that come one by one: without workers, without
// LibTorch, bitwise equal to those of pt_model_transform(). Since version 2.

// The nets cnn, ft_transformer and text_classifier are computed by ONNX Runtime, whose predictions
// differ by rounding; without it they are refused, and so are nets of one's own, by name.
// The scorer no longer needs the model or the session; several threads may call its functions at
// once.
pt_error* pt_scorer_open(const pt_model* model, pt_scorer** scorer);
// {"input", "output", "reads_history", "gap"}: the columns that rows must have, those of
// predictions, whether rows look back to those that the model keeps, and a sentence if rows that
// were scored do not seem to follow these, else null.
pt_error* pt_scorer_describe(const pt_scorer* scorer, char** json);
// Takes over a batch of rows, a struct as in an Arrow C stream, in any case; returns a batch with
// one prediction for each row, which the caller releases. Columns are found by name.
pt_error* pt_scorer_score(const pt_scorer* scorer, struct ArrowSchema* schema,
                          struct ArrowArray* rows, struct ArrowSchema* predicted_schema,
                          struct ArrowArray* predicted);
// For models of series (docs/time.md): predicts rows that follow those the model keeps and read the
// predictions of each other. Options: horizon, a number of rows of each series, or a time such as
// "28d". `newer`, which may be null, is a batch of rows that have come since training, with what is
// known of the label; it is taken over in any case. Returns the new rows, series and times, with
// their predictions. Without a horizon, the rows of `newer` are predicted: those whose label is
// missing, in the order of time, are read by later ones as predicted. Since version 5.
pt_error* pt_scorer_forecast(const pt_scorer* scorer, const char* options,
                             struct ArrowSchema* newer_schema, struct ArrowArray* newer,
                             struct ArrowSchema* predicted_schema, struct ArrowArray* predicted);
// The same as pt_scorer_score() for rows as JSON: an object gives an object, a list of objects a
// list. Each row must have all columns that the model reads, null where a value is missing; others
// are ignored.
pt_error* pt_scorer_score_json(const pt_scorer* scorer, const char* rows, char** predictions);
void pt_scorer_free(pt_scorer* scorer);

// ---- Searches whose trials the caller measures, by whatever means (docs/choosing-a-model.md).
// They need no session; several threads may call these functions at once. Since version 3.

// Options are those of [search] of a job file: space, method, trials, seed, lag (0 unless set: one
// trial is open at a time), prune, grace (1), reduction, seconds, target, patience, least, metric,
// choose, require; higher_is_better, true or the names of metrics; and save, a file that the search
// is written to and goes on from.
pt_error* pt_search_open(const char* options, pt_search** search);
// The next trial, {"trial", "values"}; "null" after the last one. Fails while a trial is open that
// it learns from.
pt_error* pt_search_ask(pt_search* search, char** trial);
// A value on the way, at a step above the trial's last one.
pt_error* pt_search_report(pt_search* search, int64_t trial, int64_t step, double value);
// Sets 1 if what has been reported decides that the trial is stopped, else 0.
pt_error* pt_search_should_prune(pt_search* search, int64_t trial, int32_t* prune);
// The trial is over. NaN: it has no value because it was stopped or, as `error` (may be NULL) says,
// failed.
pt_error* pt_search_tell(pt_search* search, int64_t trial, double value, const char* error);
// The trial is over, with a number for each metric and each name that is required:
// {"auc": 0.9, "latency_us": 30}. One that is null: it failed. Since version 4.
pt_error* pt_search_tell_all(pt_search* search, int64_t trial, const char* measured);
// {"higher_is_better", "best", "trials"} of all that are over, as trials.json has them.
pt_error* pt_search_table(pt_search* search, char** json);
void pt_search_free(pt_search* search);

#ifdef __cplusplus
}
#endif
