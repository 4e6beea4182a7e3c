#pragma once
// The calls of a web page to Maskscope: the core, compiled to WebAssembly, exports these calls;
// natively they are a library, for tests.
//
// Text is UTF-8 that ends with a zero byte. A page writes an argument into memory that it asked for
// with ms_room(), and reads a result at the address that is returned, which is valid until the next
// call. Results are JSON, except where another format is named; numbers that JSON lacks (NaN, ±∞)
// are the strings "NaN", "Infinity" and "-Infinity".
//
// A call that cannot do what it is asked changes nothing and returns
//   {"error": "expected \"-inf\", \"lowest\" or a number, got \"minus\"",
//    "place": "/variants/0/mask/value",  the JSON pointer in what was given; "" if there is none
//    "kind": "edit" | "input" | "work"}  an edit that is impossible here; text that is wrong; too
//                                        large for the memory
// "error" is a sentence for the reader.
//
// Addresses in results are those of numbers in the memory of the module, row-major; they are valid
// until the next ms_compute() of the same handle or ms_close(). A call may make the memory grow:
// views of it (new Float64Array(memory.buffer, address, count)) are made after the call.

#include <cstddef>
#include <cstdint>

extern "C" {

// --- memory
void* ms_room(std::size_t bytes);  // 8-byte aligned; nullptr if there is none
void ms_free(void* room);

// Returns the program's version as text, not JSON: "0.1.0".
const char* ms_version();

// --- files
// Gives the bytes of a file that scenes name, for all that is loaded from now on: a model by its
// name in the scene ("right" for a built-in one, "mine.safetensors"), the file of a tensor by what
// stands before the colon ("qkv.npy", "qkv.safetensors"; .npz is not read here). The bytes are
// copied. Returns {}.
const char* ms_source(const char* name, const void* bytes, std::size_t count);

// --- scenes and lessons

// A lesson or a scene, as the files have it. A lesson begins with step 0, a scene is one step
// without words.
//   {"handle": 1, "lesson": "masks" | null, "title": "…", "about": "…",
//    "steps": [{"title": "…", "star": false, "asks": true, "try": true}, …]}
const char* ms_load(const char* json);
void ms_close(int handle);

// Enters a step as the lesson has it: the undo history, answers and uncovered answers are dropped.
//   {"step": 0, "asks": true}
const char* ms_step(int handle, int step);

// The scene as its file (not wrapped in anything else); ms_load() takes it.
const char* ms_scene(int handle);

// --- edits

// Returns {"changed": true, "undo": 2, "redo": 0, "restorable": true}: how many edits can be undone
// and redone, and whether the scene differs from what the step begins with.
// One of these. Where "b" and "h" (sequence, head) are absent they are 0; "lane" is a variant,
// counted from 0; "lanes", where absent, are all that are shown.
//   {"op": "cell", "lanes": [0], "b": 0, "h": 0, "i": 2, "j": 4, "allow": true}
//                     query i, key j; without "allow" the cell is turned over
//   {"op": "row", "lanes": [0], "b": 0, "h": 0, "i": 2}      blocked, or allowed where it is
//   {"op": "column", "lanes": [0], "b": 0, "h": 0, "j": 4}   blocked all over
//   {"op": "sentence", "b": 0, "side": "queries", "text": "My name is"}   side: or "keys", or
//                     "source", the words that a translator reads
//   {"op": "rename", "b": 0, "side": "queries", "index": 2, "text": "are"}
//   {"op": "insert", "b": 0, "side": "queries", "index": 2, "text": "not"}   before index
//   {"op": "delete", "b": 0, "side": "queries", "index": 2}
//   {"op": "pad", "b": 0, "side": "queries", "index": 2}     to a pad token and back
//   {"op": "choose", "lane": 1, "setting": "mask.apply", "choice": 3}   one of the choices that
//                     "settings" of ms_words() lists, counted from 0
//   {"op": "type", "lane": 1, "setting": "scale", "text": "1/√n"}
//   {"op": "heads", "value": 2}
//   {"op": "head", "lane": 0, "h": 3, "on": false}           of a model
//   {"op": "score", "b": 0, "h": 0, "i": 2, "j": 4, "value": 1.5}
//   {"op": "layer", "lanes": [0], "kind": "causal", "on": true}
//   {"op": "fields", "fields": {"/variants/1/scale": 0.5}}   any fields of the file, by JSON
//                     pointer
//   {"op": "undo"}, {"op": "redo"}, {"op": "restore"}        restore can be undone
const char* ms_edit(int handle, const char* json);

// Sets what is shown; none of this is in the scene, and all except "show" lasts beyond the step.
//   {"show": {"stages": ["logits", "weights"], "lanes": ["A"], "focus": [2, 1]},  keys as in the
//             file; they replace those that the scene has, and null takes one away. Until the next
//             step.
//    "theme": "light" | "dark" | "high_contrast" | "print", "map": "cividis" | null,
//    "logarithmic": true | false | null}
// Keys that are absent stay as they are. Returns {}.
const char* ms_view(int handle, const char* json);

// --- what is shown

// Returns the fork as the window draws it: what all variants share, then each of them. Computes if
// the scene was edited.
//   {"milliseconds": 0.4, "title": "…", "view": "pipeline", "alternative": "…",
//        view: what the step asks for: "pipeline", "heads", "plane", "root_d", "table",
//        "generation", "translator"; the fork is there for each of them.
//        alternative: the picture in words, as in --alt
//    "columns": 4,
//    "blocks": [{"b": 0, "h": 0, "title": "",   "" for the only one, else "sentence 2 · head 1"
//      "queries": ["My", …], "keys": ["My", …],
//      "pads": [false, …],                      of the keys
//      "earlier": [HEATMAP, …],                 weights of the layers that the inputs come from
//      "tensors": [HEATMAP, …],                 Q, K and V
//      "shared": [HEATMAP, …],                  of all variants
//      "source": "QKᵀ",                         what they have in common, if no stage shows it
//      "mask": HEATMAP | null,                  if all have the same; else each lane has its own
//      "lanes": [{"lane": 0, "letter": "A", "name": "…", "changes": " (changed: float16)",
//                 "difference": null | {"lane": 0, "minus": 1},
//                 "stages": [HEATMAP, …],       its mask first if it has its own
//                 "sums": [SUM, …],             of each row of the weights; [] without weights
//                 "loses_weight": false}, …]}, …]}
// HEATMAP:
//   {"id": 3,                    its place in this result, for ms_texts()
//    "key": "A.weights.0.0",     its name: the same heatmap of the next result has the same one
//    "hash": "9f3c…",            of all that is drawn of it: equal, and it need not be drawn again
//    "stage": "weights", "lane": 0,    lane: null of what all share
//    "title": "Attention weights", "note": "QKᵀ/√d", "operations": ["+ M", "softmax"],
//    "column": 3, "rows": 6, "columns": 6,
//    "queries": ["My", …], "keys": [ …],   only where they differ from those of the block
//    "of": "queries",            only of Q, K and V: whose vectors its rows are, or "keys"
//    "values": 81920,            address of float64 [rows, columns]; 1 and 0 of the mask
//    "signs": 82208,             of uint8 [rows, columns]: 1 blocked + 2 leaks + 4 NaN + 8 +∞ +
//                                16 −∞ + 32 exactly 0 + 64 missing: the reference allows the key
//    "fills": 82944,             of uint8 [rows, columns, 4]: red, green, blue, and 255; 0 if the
//                                number has no colour (NaN, ±∞, the mask)
//    "light": 83232,             of uint8 [rows, columns]: 1 where the text on the fill is white
//    "share": true,              its numbers are shares of 1
//    "covered": false}           the step asks, and this is hidden until it is uncovered
// SUM: {"sum": 0.35, "text": "0.35", "max": 0.2, "entropy": 0.9, "leak": 0.65, "pads": 0,
//       "empty": false, "nan": false, "zeroed": false,
//       "is_one": false,         within the tolerance of the dtype
//       "by_design": false}      not 1, and calm: a sink, or sigmoid
const char* ms_compute(int handle);

// The texts of the cells of a heatmap of the last ms_compute(), row-major: ["0.35", "<.01", …].
// form: 0 two decimals ("0.35"), 1 without the zero before the point (".35"), 2 one decimal (".4").
const char* ms_texts(int handle, int heatmap, int form);
// Returns one number as text, not JSON.
const char* ms_text(double value, int share, int form);

// Returns the words of the step, filled in for the current scene; "" = there are none, or what they
// refer to no longer exists. A scene has only a title.
//   {"title": "…",
//    "covered": true,            it asks: then "caption", "claim", "try", "table" and "answer" are
//                                "" or absent, and "facts" is []
//    "ask": "…", "caption": "…", "claim": "…", "source": "…", "table": [["…"]],
//    "verdict": "B loses weight: holds (0.325)",   the claim with its verdict
//    "answer": "30%",            the first that the step accepts, once it is uncovered
//    "answered": {"words": "You said 50%, 15 points too much. …", "right": false} | null,
//    "try": "…",
//    "try_shows": "…", "try_done": true | false | null,   what following the Try shows, and whether
//                                the scene as it is shows it; null: it has none, or its cell is
//                                gone
//    "facts": [{"claim": "…", "holds": true, "exists": true, "verdict": "holds (0.325)"}, …],
//    "exercise": {"differing": 3, "cells": 36} | null,     the mask is to be painted: how many of
//                                its cells are not right yet
//    "sentences": [{"queries": "My name is", "keys": null}],   as the op "sentence" takes them;
//                                {"source": "…"} of a translator
//    "settings": [[{"setting": "mask.value", "label": "Mask value", "heading": false,
//                   "choices": ["−∞", …], "chosen": 0, "text": "−∞"}, …], …],
//        of each variant, those that have an effect on it. chosen: null if it is none of the
//        choices. text: as it is typed; null if it can only be chosen. heading: of the one that
//        stands below a heading, how the mask is applied.
//    "rules": [[{"kind": "causal", "label": "Causal", "on": true}, …], …]}   of each variant, those
//        that the op "layer" adds and removes
const char* ms_words(int handle);

// Judges the reader's answer to the question, and uncovers everything. "" uncovers without
// saying anything. Returns {"answered": … as in ms_words() | null}.
const char* ms_answer(int handle, const char* said);

// Returns how the number of a cell was computed, as the inspector shows it: of the weight of query
// i and key j in all lanes that are shown.
//   {"query": "is", "key": "Luke",
//    "shared": [LINE, …], "lanes": [{"lane": 0, "letter": "A", "lines": [LINE, …],
//                                    "chain": "3.220 / 4.901 × 1 = 0.657"}, …],
//    "row": [{"name": "sum", "texts": ["1", "0.325"]}, …]}     its figures, one text a lane
// LINE: {"operation": "× 1/√8", "result": "1.169", "strong": false, "in_words": false}
const char* ms_card(int handle, int b, int h, int i, int j);

// --- for tests

// All numbers of a stage ("scores", …, "sensitivity", "depends") of a variant, float64, [b, h,
// rows, columns]; "allowed": 1 and 0. {"at": 81920, "shape": [1, 2, 6, 6]}; "at": 0 if it has no
// such stage.
const char* ms_stage(int handle, int lane, const char* stage);
}
