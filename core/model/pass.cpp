#include "core/model/pass.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <mutex>

#include "core/attention/attention.h"
#include "core/attention/mask.h"
#include "core/model/attended.h"
#include "core/model/network.h"

namespace maskscope {

namespace {

using enum ModelAttention;

// The place of an attention in a pass, and which of its rows are wanted.
struct Place {
    ModelAttention attention;
    Index layer, b, n_q, n_k;
    Index first = 0;  // rows from here on
};

// The mask of each head, or one for all.
struct HeadMask {
    Allowed allowed;
    Matrix bias;
};

std::size_t index_of(ModelAttention attention) { return static_cast<std::size_t>(attention); }

bool differs_by_head(const std::vector<MaskLayer>& layers) {
    return reads_of(layers).head || std::ranges::any_of(layers, [](const MaskLayer& layer) {
               return layer.heads || layer.kind == LayerKind::alibi;
           });
}

// The words generated for a sequence so far: their ids, with <eos> if it came, and whether the last
// row was NaN.
struct SpokenWords {
    std::vector<Index> ids;
    bool nan = false;
    Index rows() const { return std::ssize(ids) + (nan ? 1 : 0); }
};

std::vector<Index> ids_of(const Vocabulary& vocabulary, const Words& words) {
    std::vector<Index> ids;
    for (const std::string& word : words) ids.push_back(vocabulary.ids.find(word)->second);
    return ids;
}

template <class Row>
Index largest_at(const Row& logits) {
    Index best = 0;
    for (Index id = 1; id < logits.size(); ++id)
        if (logits[id] > logits[best]) best = id;
    return best;
}

// Returns −ln softmax(logits) at one id.
template <class Row>
double cross_entropy(const Row& logits, Index wanted) {
    const double largest = logits.maxCoeff();
    double sum = 0;
    for (Index id = 0; id < logits.size(); ++id) sum += std::exp(double(logits[id]) - largest);
    return largest + std::log(sum) - double(logits[wanted]);
}

template <class T>
class Pass {
public:
    Pass(const Scene& scene, const Variant& variant, Progress& progress)
        : inputs_(*model_of(scene)),
          model_(*inputs_.loaded),
          net_(model_.network->of<T>()),
          heads_off_(variant.heads_off),
          progress_(progress) {
        for (const ModelAttention attention : {encoder, decoder, cross}) {
            Variant& rule = rules_[index_of(attention)];
            if (attention == inputs_.attention) {
                rule = variant;
            } else {
                rule.mask = own_mask(model_, attention);
                rule.dtype = std::is_same_v<T, double> ? Dtype::float64 : Dtype::float32;
            }
            by_head_[index_of(attention)] = differs_by_head(rule.mask.layers);
        }
        std::size_t longest = 0;
        for (const Sequence& sequence : scene.sequences) {
            sources_.push_back(source_tokens(sequence));
            longest = std::max(longest, sources_.back().size());
        }
        for (Words& source : sources_) source.resize(longest, std::string(pad_word));
        n_source_ = static_cast<Index>(longest);
        for (Scene& tokens : tokens_) tokens.sequences.resize(sources_.size());
        for (std::size_t b = 0; b < sources_.size(); ++b) {
            tokens_[index_of(encoder)].sequences[b].queries = sources_[b];
            tokens_[index_of(cross)].sequences[b].keys = sources_[b];
            starts_.push_back(scene.sequences[b].start);
        }
    }

    // Keeps every attention's numbers from now on.
    void keep_all(ModelRun& run, BatchInputs& batch) {
        run_ = &run;
        batch_ = &batch;
    }

    // Runs the encoder, and prepares the keys and values of cross-attention.
    void encode(Index b) {
        MatrixOf<T> x = net_.embed(net_.es, ids_of(model_.source, sources_[b]));
        const Place all{encoder, 0, b, n_source_, n_source_};
        const std::vector<HeadMask> masks = masks_of(all);
        keeps_ = run_ != nullptr;
        for (Index l = 0; l < model_.encoder_layers; ++l) {
            const EncoderLayer<T>& layer = net_.encoder[l];
            const MatrixOf<T> y = layer.n1(x);
            std::vector<HeadInputs> heads = keys_and_values(layer.sa, y);
            x += layer.sa.o(
                attend({encoder, l, b, n_source_, n_source_}, layer.sa.q(y), heads, masks));
            x += layer.ff(layer.n2(x));
        }
        const MatrixOf<T> z = net_.ne(x);
        cross_heads_.clear();
        for (const DecoderLayer<T>& layer : net_.decoder)
            cross_heads_.push_back(keys_and_values(layer.ca, z));
    }

    // Returns the logits of every row of the decoder over these words or, unless `all`, those of
    // the last row. Call encode(b) first.
    MatrixOf<T> decode(Index b, const std::vector<Index>& ids, bool all) {
        if (progress_.cancel) throw Cancellation{};
        const auto n = static_cast<Index>(ids.size());
        Words words;
        for (const Index id : ids) words.push_back(model_.target.words[id]);
        tokens_[index_of(decoder)].sequences[b].queries = words;
        tokens_[index_of(cross)].sequences[b].queries = std::move(words);
        const auto self_masks = masks_of({decoder, 0, b, n, n});
        const auto cross_masks = masks_of({cross, 0, b, n, n_source_});
        keeps_ = all && run_ != nullptr;
        MatrixOf<T> x = net_.embed(net_.et, ids);
        for (Index l = 0; l < model_.decoder_layers; ++l) {
            const DecoderLayer<T>& layer = net_.decoder[l];
            const Index first = all || l + 1 < model_.decoder_layers ? 0 : n - 1;
            const MatrixOf<T> y = layer.n1(x);
            std::vector<HeadInputs> heads = keys_and_values(layer.sa, y);
            if (first > 0) x = MatrixOf<T>(x.bottomRows(n - first));
            x += layer.sa.o(attend({decoder, l, b, n, n, first},
                                   layer.sa.q(y.bottomRows(n - first)), heads, self_masks));
            x += layer.ca.o(attend({cross, l, b, n, n_source_, first}, layer.ca.q(layer.n2(x)),
                                   cross_heads_[l], cross_masks));
            x += layer.ff(layer.n3(x));
        }
        return net_.logits(x);
    }

    // Generates greedily: the word with the largest logit, the first of equal ones. The whole
    // prefix is computed again for each word.
    SpokenWords generate(Index b) {
        encode(b);
        SpokenWords said;
        std::vector<Index> ids = {bos_id};
        while (std::ssize(said.ids) < model_.max_target) {
            const RowOf<T> logits = decode(b, ids, false).row(0);
            if (logits.hasNaN()) {
                said.nan = true;
                break;
            }
            said.ids.push_back(largest_at(logits));
            if (said.ids.back() == eos_id) break;
            ids.push_back(said.ids.back());
        }
        return said;
    }

    Index n_source() const { return n_source_; }
    const std::vector<Words>& sources() const { return sources_; }

private:
    std::vector<HeadInputs> keys_and_values(const Projections<T>& w, const MatrixOf<T>& y) const {
        const MatrixOf<T> k = w.k(y), v = w.v(y);
        const Index width = d_head(model_);
        std::vector<HeadInputs> heads(static_cast<std::size_t>(model_.heads));
        for (Index h = 0; h < model_.heads; ++h) {
            heads[h].keys = k.middleCols(h * width, width).template cast<double>();
            heads[h].values = v.middleCols(h * width, width).template cast<double>();
        }
        return heads;
    }

    std::vector<HeadMask> masks_of(const Place& at) const {
        const std::size_t which = index_of(at.attention);
        const std::vector<MaskLayer>& layers = rules_[which].mask.layers;
        const Scene& tokens = tokens_[which];
        std::vector<HeadMask> masks;
        for (Index h = 0; h < (by_head_[which] ? model_.heads : 1); ++h) {
            const Index start = at.attention == cross && cross == inputs_.attention
                                    ? starts_[static_cast<std::size_t>(at.b)]
                                    : 0;
            const HeadPositions all{at.b, h, model_.heads, at.n_q, at.n_k, start, 0};
            masks.push_back(
                {allowed_cells(tokens, layers, all), biases(tokens, layers, all, 0, at.n_q)});
        }
        return masks;
    }

    // Returns the heads' outputs side by side, before W_o. heads: contains keys and values; the
    // queries are added.
    MatrixOf<T> attend(const Place& at, const MatrixOf<T>& q, std::vector<HeadInputs>& heads,
                       const std::vector<HeadMask>& masks) {
        const Variant& rule = rules_[index_of(at.attention)];
        const Rounding rounded(rule.dtype);
        const bool rounds = rule.dtype == Dtype::float16 || rule.dtype == Dtype::bfloat16;
        const Index width = d_head(model_);
        Parameters parameters;
        parameters.scale = scale_factor(rule.scale, width, at.n_k);
        MatrixOf<T> joined(q.rows(), q.cols());
        for (Index h = 0; h < model_.heads; ++h) {
            HeadInputs& head = heads[h];
            head.queries = q.middleCols(h * width, width).template cast<double>();
            const HeadInputs narrow = rounds ? round_inputs(head, rounded) : HeadInputs();
            const HeadInputs& used = rounds ? narrow : head;
            const HeadMask& mask = masks[masks.size() > 1 ? h : 0];
            const Stages stages = with_mask(at, mask, [&](const auto& allowed, const auto& bias) {
                return maskscope::attend(rule, parameters, used, allowed, bias, sink_of(rule, h),
                                         times_);
            });
            if (is_off(at, h))
                joined.middleCols(h * width, width).setZero();
            else
                joined.middleCols(h * width, width) =
                    rounded(mix(OutputKind::values, parameters, stages.weights, used.values))
                        .template cast<T>();
            if (keeps_) keep(at, h, head, stages.weights);
        }
        return joined;
    }

    template <class Attend>
    static Stages with_mask(const Place& at, const HeadMask& mask, const Attend& attend) {
        if (at.first == 0) return attend(mask.allowed, mask.bias);
        const Allowed allowed = mask.allowed.bottomRows(at.n_q - at.first);
        const Matrix bias =
            mask.bias.size() > 0 ? Matrix(mask.bias.bottomRows(at.n_q - at.first)) : Matrix();
        return attend(allowed, bias);
    }

    bool is_off(const Place& at, Index h) const {
        return at.attention == inputs_.attention && at.layer == inputs_.layer &&
               std::ranges::find(heads_off_, h) != heads_off_.end();
    }

    void keep(const Place& at, Index h, const HeadInputs& head, const Matrix& weights) {
        run_->weights.push_back({at.attention,
                                 at.layer,
                                 at.b,
                                 h,
                                 at.n_q,
                                 at.n_k,
                                 {weights.data(), weights.data() + weights.size()}});
        if (at.attention == inputs_.attention && at.layer == inputs_.layer)
            batch_->heads[at.b * model_.heads + h] = head;
    }

    const ModelInputs& inputs_;
    const Model& model_;
    const NetworkOf<T>& net_;
    const std::vector<Index>& heads_off_;
    Progress& progress_;
    Variant rules_[3];            // by ModelAttention
    bool by_head_[3] = {};        // true if its mask differs by head
    Scene tokens_[3];             // the tokens that its masks depend on
    std::vector<Words> sources_;  // padded
    std::vector<Index> starts_;
    Index n_source_ = 0;
    std::vector<std::vector<HeadInputs>>
        cross_heads_;  // for the sequence that was encoded, [layer]
    StageTimes times_;
    bool keeps_ = false;
    ModelRun* run_ = nullptr;
    BatchInputs* batch_ = nullptr;
};

// --- a whole batch, and its labels

Words words_of(const Vocabulary& vocabulary, const std::vector<Index>& ids) {
    Words words;
    for (const Index id : ids) words.push_back(vocabulary.words[id]);
    return words;
}

std::optional<Words> translation_of(const Model& model, const SpokenWords& said) {
    if (said.nan) return std::nullopt;
    std::vector<Index> ids = said.ids;
    if (!ids.empty() && ids.back() == eos_id) ids.pop_back();
    return words_of(model.target, ids);
}

template <class T>
class Run {
public:
    Run(const Scene& scene, int variant, Progress& progress)
        : scene_(scene),
          variant_(variant),
          inputs_(*model_of(scene)),
          model_(*inputs_.loaded),
          pass_(scene, scene.variants[variant], progress) {}

    ModelRun make() {
        const auto count = std::ssize(scene_.sequences);
        const bool free = generates(scene_);
        std::vector<SpokenWords> said;
        for (Index b = 0; b < count; ++b) said.push_back(free ? pass_.generate(b) : wanted(b));
        for (const SpokenWords& one : said) rows_ = std::max(rows_, one.rows());
        BatchInputs batch;
        batch.shape = {count, model_.heads, inputs_.attention == encoder ? pass_.n_source() : rows_,
                       inputs_.attention == decoder ? rows_ : pass_.n_source()};
        batch.heads.resize(static_cast<std::size_t>(count * model_.heads));
        pass_.keep_all(run_, batch);
        for (Index b = 0; b < count; ++b) read_through(b, said[b], free);
        run_.attended = attended_scene(scene_, batch, sequences_);
        run_.inputs = std::make_shared<const BatchInputs>(std::move(batch));
        return std::move(run_);
    }

private:
    SpokenWords wanted(Index b) const {
        SpokenWords said{ids_of(model_.target, *scene_.sequences[b].target)};
        said.ids.push_back(eos_id);
        return said;
    }

    // Runs every row of sequence b, padded to the longest, and keeps the results.
    void read_through(Index b, const SpokenWords& said, bool free) {
        std::vector<Index> ids = {bos_id};
        ids.insert(ids.end(), said.ids.begin(), said.ids.end());
        ids.resize(static_cast<std::size_t>(said.rows()));  // the last word is not an input
        ids.resize(static_cast<std::size_t>(rows_), pad_id);
        pass_.encode(b);
        const MatrixOf<T> logits = pass_.decode(b, ids, true);
        run_.logits.emplace_back(logits.data(), logits.data() + logits.size());
        Words labels = words_of(model_.target, said.ids);
        if (said.nan) labels.emplace_back("NaN");
        labels.resize(static_cast<std::size_t>(rows_), std::string(pad_word));
        const Words read = words_of(model_.target, ids);
        const Words& source = pass_.sources()[b];
        Sequence& sequence = sequences_.emplace_back();
        sequence.queries = inputs_.attention == encoder ? source : read;
        if (inputs_.attention == cross) {
            sequence.keys = source;
            sequence.start = scene_.sequences[b].start;
        }
        run_.labels.push_back(inputs_.attention == encoder ? source : labels);
        run_.read.push_back(read);
        run_.predicted.push_back(std::move(labels));
        if (free)
            run_.said.push_back(translation_of(model_, said));
        else
            judge(logits.topRows(said.rows()), said.ids);
    }

    // Compares the predictions with the right words.
    void judge(const MatrixOf<T>& logits, const std::vector<Index>& wanted) {
        double loss = 0, right = 0;
        std::vector<Index> ids;
        for (Index i = 0; i < logits.rows(); ++i) {
            const RowOf<T> row = logits.row(i);
            ids.push_back(largest_at(row));
            loss += cross_entropy(row, wanted[i]);
            right += ids.back() == wanted[i] ? 1 : 0;
        }
        const bool nan = logits.hasNaN();
        run_.said.push_back(nan ? std::nullopt : std::optional(words_of(model_.target, ids)));
        const auto rows = static_cast<double>(logits.rows());
        run_.loss.push_back(nan ? not_a_number : loss / rows);
        run_.accuracy.push_back(nan ? not_a_number : right / rows);
    }

    const Scene& scene_;
    int variant_;
    const ModelInputs& inputs_;
    const Model& model_;
    Pass<T> pass_;
    Index rows_ = 0;
    std::vector<Sequence> sequences_;
    ModelRun run_;
};

template <class T>
std::vector<std::optional<Words>> generated_as(const Scene& scene, const Variant& variant,
                                               Progress& progress) {
    Pass<T> pass(scene, variant, progress);
    std::vector<std::optional<Words>> all;
    for (Index b = 0; b < std::ssize(scene.sequences); ++b)
        all.push_back(translation_of(*model_of(scene)->loaded, pass.generate(b)));
    return all;
}

}  // namespace

std::vector<std::optional<Words>> generated(const Scene& scene, const Variant& variant,
                                            Progress& progress) {
    if (variant.dtype == Dtype::float64) return generated_as<double>(scene, variant, progress);
    return generated_as<float>(scene, variant, progress);
}

std::vector<std::optional<Words>> right_words(const Scene& scene, const SharedValue<Model>& right,
                                              Progress& progress) {
    std::vector<std::optional<Words>> all;
    for (const Sequence& sequence : scene.sequences) {
        if (sequence.target) {
            all.emplace_back(sequence.target);
            continue;
        }
        Scene alone;
        alone.sequences.resize(1);
        alone.sequences[0].source = sequence.source;
        alone.inputs = ModelInputs{"", right, cross, 0};
        Variant own;
        own.mask = right->cross;
        all.push_back(generated(alone, own, progress)[0]);
    }
    return all;
}

ModelRun run_model(const Scene& scene, int variant, Progress& progress) {
    if (scene.variants[variant].dtype == Dtype::float64)
        return Run<double>(scene, variant, progress).make();
    return Run<float>(scene, variant, progress).make();
}

namespace {

// Shapes of the last generating variants: facts and captions need them often.
struct KnownShape {
    std::vector<Sequence> sequences;
    Inputs inputs;
    Variant variant;
    Shape shape;
};

}  // namespace

Shape shape_of_variant(const Scene& scene, int index) {
    if (!generates(scene) || model_of(scene)->attention == encoder) return shape_of(scene);
    static std::mutex mutex;
    static std::deque<KnownShape> known;
    constexpr std::size_t most_known = 32;
    const Variant& variant = scene.variants[index];
    const std::lock_guard lock(mutex);
    for (const KnownShape& one : known)
        if (one.sequences == scene.sequences && one.inputs == scene.inputs &&
            one.variant == variant)
            return one.shape;
    Progress progress;
    const Shape shape = run_model(scene, index, progress).inputs->shape;
    known.push_front({scene.sequences, scene.inputs, variant, shape});
    if (known.size() > most_known) known.pop_back();
    return shape;
}

}  // namespace maskscope
