#pragma once
// The calls from a web page to Maskscope. The core exports them when it is compiled to WebAssembly;
// natively they are a library, for tests.
//
// Text is UTF-8 that ends with a zero byte. A page writes an argument into memory that it gets from
// ms_room(). Results are returned as addresses, which are valid until the next call. They are JSON
// unless another format is named; numbers that JSON lacks (NaN, ±∞) are the strings "NaN",
// "Infinity" and "-Infinity".
//
// A call that fails changes nothing and returns
//   {"error": "expected \"-inf\", \"lowest\" or a number, got \"minus\"",
//    "place": "/variants/0/mask/value",  a JSON pointer into the argument; "" if there is none
//    "kind": "edit" | "input" | "work"}  the edit is impossible here; the text is wrong; there is
//                                        not enough memory
// "error" is a sentence for the reader.
//
// Addresses within results refer to numbers in the module's memory, row-major. They are valid until
// the next ms_compute() of the same handle, or ms_close(). As a call may make the memory grow,
// create views of it (new Float64Array(memory.buffer, address, count)) after the call.

#include <cstddef>
#include <cstdint>

extern "C" {

// --- memory
void* ms_room(std::size_t bytes);  // 8-byte aligned; nullptr if memory is short
void ms_free(void* room);

// Returns the program's version as text, not JSON: "0.1.0".
const char* ms_version();

// --- files
// Copies the bytes of a file that scenes name, for everything that is loaded from now on. name: for
// a model, its name in the scene ("right" for a built-in one, "mine.safetensors"); for a file of
// tensors, the part before the colon ("qkv.npy", "qkv.safetensors"; .npz cannot be read). Returns
// {}.
const char* ms_source(const char* name, const void* bytes, std::size_t count);

// --- scenes and lessons

// Loads a lesson or a scene, given as in its file. A lesson begins with step 0; a scene is a single
// step without words. Returns
//   {"handle": 1, "lesson": "masks" | null, "title": "…", "about": "…",
//    "steps": [{"title": "…", "star": false, "asks": true, "try": true}, …]}
const char* ms_load(const char* json);
void ms_close(int handle);

// Enters a step as it is in the lesson, without undo history or answers. If it has a question, the
// question is asked again. Returns
//   {"step": 0, "asks": true}
const char* ms_step(int handle, int step);

// Returns the scene as in its file, not as part of other JSON; ms_load() accepts it.
const char* ms_scene(int handle);

// --- edits

// Makes one edit. Returns {"changed": true, "undo": 2, "redo": 0, "restorable": true}: how many
// edits can be undone and redone, and whether the scene differs from the beginning of the step.
// json: one of these edits. "b" and "h" (sequence, head) are 0 by default; "lane" is a variant,
// counted from 0; "lanes" are all shown variants by default.
//   {"op": "cell", "lanes": [0], "b": 0, "h": 0, "i": 2, "j": 4, "allow": true}
//                     query i, key j; without "allow" the cell is flipped
//   {"op": "row", "lanes": [0], "b": 0, "h": 0, "i": 2}      blocked; allowed if it was blocked
//   {"op": "column", "lanes": [0], "b": 0, "h": 0, "j": 4}   blocked in every row
//   {"op": "sentence", "b": 0, "side": "queries", "text": "My name is"}   or "keys", or
//                     "source": the words that a translator reads
//   {"op": "rename", "b": 0, "side": "queries", "index": 2, "text": "are"}
//   {"op": "insert", "b": 0, "side": "queries", "index": 2, "text": "not"}   before index
//   {"op": "delete", "b": 0, "side": "queries", "index": 2}
//   {"op": "pad", "b": 0, "side": "queries", "index": 2}     to a pad token, or back
//   {"op": "choose", "lane": 1, "setting": "mask.apply", "choice": 3}   index in the choices that
//                     ms_words() lists under "settings"
//   {"op": "type", "lane": 1, "setting": "scale", "text": "1/√n"}
//   {"op": "heads", "value": 2}
//   {"op": "head", "lane": 0, "h": 3, "on": false}           models only
//   {"op": "score", "b": 0, "h": 0, "i": 2, "j": 4, "value": 1.5}
//   {"op": "layer", "lanes": [0], "kind": "causal", "on": true}
//   {"op": "fields", "fields": {"/variants/1/scale": 0.5}}   fields of the file, by JSON
//                     pointers
//   {"op": "undo"}, {"op": "redo"}, {"op": "restore"}        restore can be undone
const char* ms_edit(int handle, const char* json);

// Sets what is shown, without changing the scene. All keys except "show" stay set beyond the step.
//   {"show": {"stages": ["logits", "weights"], "lanes": ["A"], "focus": [2, 1]},  until the next
//             step; keys as in the file, which replace those of the scene; null removes one
//    "theme": "light" | "dark" | "high_contrast" | "print", "map": "cividis" | null,
//    "logarithmic": true | false | null}
// Missing keys do not change anything. Returns {}.
const char* ms_view(int handle, const char* json);

// --- what is shown

// Returns the fork as the window draws it: what all variants share, then each of them. Computes the
// scene first, unless that was done since the last edit.
//   {"milliseconds": 0.4, "title": "…", "view": "pipeline", "alternative": "…",
//        view: the one that the step shows: "pipeline", "heads", "plane", "root_d", "table",
//        "generation", "translator"; the fork is returned for each of them.
//        alternative: the alternative text, as for --alt
//    "columns": 4,
//    "blocks": [{"b": 0, "h": 0, "title": "",   "", or "sequence 2 · head 1" if there are several
//      "queries": ["My", …], "keys": ["My", …],
//      "pads": [false, …],                      for each key
//      "earlier": [HEATMAP, …],                 weights of earlier layers
//      "tensors": [HEATMAP, …],                 Q, K and V
//      "shared": [HEATMAP, …],                  stages of all variants
//      "source": "QKᵀ",                         their formula, if none of these stages shows it
//      "mask": HEATMAP | null,                  if shared; else each has its own
//      "lanes": [{"lane": 0, "letter": "A", "name": "…", "changes": " (changed: float16)",
//                 "difference": null | {"lane": 0, "minus": 1},
//                 "stages": [HEATMAP, …],       with its mask first if that is not shared
//                 "sums": [SUM, …],             for each row of the weights; [] without weights
//                 "loses_weight": false}, …]}, …]}
// HEATMAP:
//   {"id": 3,                    its index in this result, for ms_texts()
//    "key": "A.weights.0.0",     its name, by which the next result has the same heatmap
//    "hash": "9f3c…",            equal hashes: it need not be drawn again
//    "stage": "weights", "lane": 0,    lane: null if shared, or for a difference
//    "title": "Attention weights", "note": "QKᵀ/√d", "operations": ["+ M", "softmax"],
//    "column": 3, "rows": 6, "columns": 6,
//    "queries": ["My", …], "keys": [ …],   only if they differ from the block's
//    "of": "queries",            only for Q, K and V: the rows' tokens, or "keys"
//    "values": 81920,            address of float64 [rows, columns]; the mask: 1 and 0
//    "signs": 82208,             address of uint8 [rows, columns]: 1 blocked + 2 leaks + 4 NaN +
//                                8 +∞ + 16 −∞ + 32 exactly 0 + 64 missing (the reference allows it)
//    "fills": 82944,             address of uint8 [rows, columns, 4]: red, green, blue, 255; 0 if
//                                the number has no colour (NaN, ±∞, the mask)
//    "light": 83232,             address of uint8 [rows, columns]: 1 if text on the fill is white
//    "share": true,              its numbers are shares of 1
//    "covered": false}           the step asks, and hides this until it is answered
// SUM: {"sum": 0.35, "text": "0.35", "max": 0.2, "entropy": 0.9, "leak": 0.65, "pads": 0,
//       "empty": false, "nan": false, "zeroed": false,
//       "is_one": false,         within the tolerance of the dtype
//       "by_design": false}      not 1, but by design: a sink, or sigmoid
const char* ms_compute(int handle);

// Returns the texts of a heatmap's cells in the last ms_compute(), row-major: ["0.35", "<.01", …].
// form: 0 two decimals ("0.35"), 1 without the zero before the point (".35"), 2 one decimal (".4").
const char* ms_texts(int handle, int heatmap, int form);
// Returns one number as text, not JSON.
const char* ms_text(double value, int share, int form);

// Returns the words of the step, filled in for the current scene; "" if there are none, or what
// they refer to no longer exists. A scene has no words except a title.
//   {"title": "…",
//    "covered": true,            while it asks, "caption", "claim", "verdict", "try",
//                                "try_shows" and "answer" are "", "table" and "facts" are []
//    "ask": "…", "caption": "…", "claim": "…", "source": "…", "table": [["…"]],
//    "verdict": "B loses weight: holds (0.325)",   the claim and whether it holds
//    "answer": "30%",            the first that the step accepts, once answered
//    "answered": {"words": "You said 50%, 15 points too much. …", "right": false} | null,
//    "try": "…",
//    "try_shows": "…", "try_done": true | false | null,   what following the Try shows, and whether
//                                the current scene shows it; null: no Try, or its cell no longer
//                                exists
//    "facts": [{"claim": "…", "holds": true, "exists": true, "verdict": "holds (0.325)"}, …],
//    "exercise": {"differing": 3, "cells": 36} | null,     the mask to be painted: how many of
//                                its cells are still wrong
//    "sentences": [{"queries": "My name is", "keys": null}],   as the op "sentence" takes them;
//                                {"source": "…"} for a translator
//    "settings": [[{"setting": "mask.value", "label": "Mask value", "heading": false,
//                   "choices": ["−∞", …], "chosen": 0, "text": "−∞"}, …], …],
//        for each variant, the settings that have an effect on it. chosen: null if it is not one of
//        the choices. text: as typed; null if it can only be chosen. heading: true for the setting
//        below a heading, which is how the mask is applied.
//    "rules": [[{"kind": "causal", "label": "Causal", "on": true}, …], …]}   for each variant,
//        the rules that the op "layer" adds and removes
const char* ms_words(int handle);

// Judges the reader's answer to the question, and uncovers everything. said: "" uncovers without an
// answer. Returns {"answered": … as in ms_words() | null}.
const char* ms_answer(int handle, const char* said);

// Returns how the weight of query i and key j was computed, as in the inspector, for all shown
// variants.
//   {"query": "is", "key": "Luke",
//    "shared": [LINE, …], "lanes": [{"lane": 0, "letter": "A", "lines": [LINE, …],
//                                    "chain": "3.220 / 4.901 × 1 = 0.657"}, …],
//    "row": [{"name": "sum", "texts": ["1", "0.325"]}, …]}     statistics, one text for each lane
// LINE: {"operation": "× 1/√8", "result": "1.169", "strong": false, "in_words": false}
const char* ms_card(int handle, int b, int h, int i, int j);

// --- for tests

// Returns all numbers of a stage ("scores", …, "sensitivity", "depends") of a variant, as float64
// [b, h, rows, columns]; "allowed": 1 and 0. {"at": 81920, "shape": [1, 2, 6, 6]}; "at" is 0 if the
// variant has no such stage.
const char* ms_stage(int handle, int variant, const char* stage);
}
