// Runs the targets of fuzz.cpp without libFuzzer: FUZZ=npy replay CORPUS SECONDS WORDS. It tries
// every file of the corpus, then random changes of them: bytes and words are inserted, removed,
// doubled, exchanged, cut. A failure leaves the bytes in ./crash-TARGET.

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

std::string bytes_of(const fs::path& file) {
    std::ifstream in(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

// Returns the quoted words of a libFuzzer dictionary.
std::vector<std::string> words_of(const fs::path& file) {
    std::vector<std::string> words;
    std::ifstream in(file);
    for (std::string line; std::getline(in, line);) {
        std::string word;
        for (std::size_t k = 1; k + 1 < line.size(); ++k) {
            if (line[k] == '\\' && line[k + 1] == 'x') {
                word += static_cast<char>(std::stoi(line.substr(k + 2, 2), nullptr, 16));
                k += 3;
            } else {
                word += line[k] == '\\' ? line[++k] : line[k];
            }
        }
        words.push_back(word);
    }
    return words;
}

class Changes {
public:
    Changes(std::vector<std::string> corpus, std::vector<std::string> words, unsigned seed)
        : corpus_(std::move(corpus)), words_(std::move(words)), random_(seed) {}

    std::string next() {
        std::string text = one_of(corpus_);
        for (std::size_t times = 1 + below(4); times > 0; --times) change(text);
        if (text.size() > 65536) text.resize(65536);
        return text;
    }

private:
    std::size_t below(std::size_t count) { return count == 0 ? 0 : random_() % count; }
    const std::string& one_of(const std::vector<std::string>& all) {
        return all[below(all.size())];
    }

    void change(std::string& text) {
        const std::size_t at = below(text.size() + 1);
        const std::size_t count = std::min(below(40), text.size() - at);
        switch (below(8)) {
            case 0:
                if (at < text.size()) text[at] = static_cast<char>(random_());
                break;
            case 1:
                if (at < text.size()) text[at] = static_cast<char>(text[at] ^ (1 << below(8)));
                break;
            case 2:
                text.insert(at, one_of(words_));
                break;
            case 3:
                text.replace(at, count, one_of(words_));
                break;
            case 4:
                text.erase(at, count);
                break;
            case 5:
                text.insert(below(text.size() + 1), text.substr(at, count));
                break;
            case 6: {
                const std::string& other = one_of(corpus_);
                text.replace(at, text.npos, other.substr(below(other.size() + 1)));
                break;
            }
            default:
                text.resize(at);
        }
    }

    std::vector<std::string> corpus_, words_;
    std::mt19937 random_;
};

void run(const std::string& bytes) {
    static const std::string kept = std::string("crash-") + std::getenv("FUZZ");
    static std::FILE* const file = std::fopen(kept.c_str(), "wb+");
    // Write the bytes before the target reads them, so that the file exists whatever happens.
    std::rewind(file);
    std::fwrite(bytes.data(), 1, bytes.size(), file);
    std::fflush(file);
    if (ftruncate(fileno(file), static_cast<off_t>(bytes.size())) != 0) std::abort();
    LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
}

}  // namespace

int main(int count, char** arguments) {
    if (count != 4 || std::getenv("FUZZ") == nullptr) return 2;
    std::vector<std::string> corpus;
    for (const auto& entry : fs::directory_iterator(arguments[1]))
        corpus.push_back(bytes_of(entry.path()));
    for (const std::string& bytes : corpus) run(bytes);
    const char* seed = std::getenv("SEED");
    Changes changes(corpus, words_of(arguments[3]), seed ? std::atoi(seed) : 1);
    const auto end = Clock::now() + std::chrono::duration<double>(std::atof(arguments[2]));
    std::size_t executions = corpus.size();
    for (; Clock::now() < end; ++executions) run(changes.next());
    fs::remove(std::string("crash-") + std::getenv("FUZZ"));
    std::printf("%s: %zu executions\n", std::getenv("FUZZ"), executions);
}
