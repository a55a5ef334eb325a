/* Puts painted lines and stencils of text together to a picture. */
#include "columns_detail.h"

#include <string.h>

int fill_bands(const Picture *picture, size_t left, const uint32_t *lines, size_t count, size_t width, const Band *bands,
               size_t band_count) {
    if (left > picture->stride || width > picture->stride - left) return NOT_SOUND;
    for (size_t i = 0; i < band_count; i++) {
        Band band = bands[i];
        if (band.first < 0 || band.last < band.first || (size_t)band.last > picture->height) return NOT_SOUND;
        if (band.line < 0 || (size_t)band.line >= count) return NOT_SOUND;
        const uint32_t *line = lines + (size_t)band.line * width;
        for (size_t y = (size_t)band.first; y < (size_t)band.last; y++)
            memcpy(picture->pixels + y * picture->stride + left, line, width * sizeof *line);
    }
    return 0;
}

static uint32_t mixed(uint32_t below, uint32_t above, uint32_t alpha) {
    uint32_t made = 0xFF000000u;
    for (int shift = 0; shift < 24; shift += 8) {
        uint32_t low = below >> shift & 0xFF, high = above >> shift & 0xFF;
        made |= (low * (255 - alpha) + high * alpha + 127) / 255 << shift;
    }
    return made;
}

/* One without width or height lays nothing, wherever it is: that of a row just out of sight is outside the picture. */
static int is_within(const Picture *picture, size_t size, const Stamp *stamp) {
    if (!stamp->width || !stamp->height) return 1;
    if (stamp->x < 0 || stamp->y < 0 || stamp->width < 0 || stamp->height < 0 || stamp->from < 0 || stamp->stride < 0) return 0;
    if ((size_t)stamp->x + (size_t)stamp->width > picture->stride) return 0;
    if ((size_t)stamp->y + (size_t)stamp->height > picture->height) return 0;
    return (size_t)stamp->from + (size_t)stamp->stride * ((size_t)stamp->height - 1) + (size_t)stamp->width <= size;
}

int lay_stamps(const Picture *picture, const uint8_t *stencil, size_t size, const Stamp *stamps, const uint32_t *colours,
               size_t count) {
    for (size_t i = 0; i < count; i++) {
        Stamp stamp = stamps[i];
        if (!is_within(picture, size, &stamp)) return NOT_SOUND;
        if (!stamp.width) continue;
        for (size_t y = 0; y < (size_t)stamp.height; y++) {
            const uint8_t *alpha = stencil + (size_t)stamp.from + y * (size_t)stamp.stride;
            uint32_t *line = picture->pixels + ((size_t)stamp.y + y) * picture->stride + (size_t)stamp.x;
            for (size_t x = 0; x < (size_t)stamp.width; x++)
                if (alpha[x]) line[x] = mixed(line[x], colours[i], alpha[x]);
        }
    }
    return 0;
}
