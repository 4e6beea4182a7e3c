#pragma once
// Reports that a slow command is still working.

#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

namespace maskscope {

// Writes a line to standard error 2 s after its construction, and again after 8, 32, 128 … s (later
// if the machine is busy):
// "maskscope: compute: 12% after 8 s (Ctrl+C cancels)".
class Patience {
public:
    explicit Patience(const std::string& work);
    ~Patience();
    Patience(const Patience&) = delete;
    Patience& operator=(const Patience&) = delete;

private:
    void wait();

    std::string work_;
    std::mutex mutex_;
    std::condition_variable changed_;
    bool done_ = false;
    std::thread thread_;
};

}  // namespace maskscope
