#pragma once
// Measures where the time of a frame goes.

namespace maskscope {

// The parts of the time of a frame, in milliseconds. Computing has its own times in the result.
struct FrameTimes {
    double input = 0;    // in the last frame with events: their effects, without computing
    double upload = 0;   // in the last frame that made textures
    double panels = 0;   // in the previous frame: building the panels, without upload
    double drawing = 0;  // in the last finished frame: OpenGL's own time
};

// Measures how long OpenGL takes to draw a frame, without waiting for it.
class FrameClock {
public:
    FrameClock();  // needs a current OpenGL context (3.3 or better)
    ~FrameClock();
    FrameClock(const FrameClock&) = delete;
    FrameClock& operator=(const FrameClock&) = delete;

    // Call these before and after what is drawn. A frame that begins while an earlier one isn't
    // done is not measured.
    void begin();
    void end();
    // Returns the time of the last completed frame; 0 = none yet.
    double milliseconds() const { return milliseconds_; }

private:
    void look();
    unsigned stamps_[2] = {0, 0};  // queries: begin, end
    bool measures_ = false, waits_ = false;
    double milliseconds_ = 0;
};

}  // namespace maskscope
