// A vector that holds its first N elements in itself: most layouts have few dimensions and one mode
// in each, and are copied more often than they are made.
#pragma once

#include <algorithm>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <iterator>
#include <memory>
#include <type_traits>
#include <utility>

namespace assay {

/// As std::vector, where it has the same members; at most 2^32 - 1 elements. Moving from one that
/// holds its elements in itself moves them one by one.
template <typename T, size_t N>
class InlineVector {
 public:
  using value_type = T;
  using size_type = size_t;
  using difference_type = ptrdiff_t;
  using reference = T&;
  using const_reference = const T&;
  using iterator = T*;
  using const_iterator = const T*;

  InlineVector() noexcept : data_(own()) {
    if constexpr (kBytes) std::memset(inline_, 0, sizeof(inline_));
  }
  explicit InlineVector(size_t size) : InlineVector() { resize(size); }
  InlineVector(size_t size, const T& value) : InlineVector() { resize(size, value); }
  InlineVector(std::initializer_list<T> values) : InlineVector(values.begin(), values.end()) {}
  template <std::forward_iterator It>
  InlineVector(It first, It last) : InlineVector() {
    append(first, last);
  }

  InlineVector(const InlineVector& other) : InlineVector() {
    if constexpr (kBytes) {
      if (other.size_ <= N) {
        copy_own(other);
        size_ = other.size_;
        return;
      }
    }
    append(other.begin(), other.end());
  }
  InlineVector(InlineVector&& other) noexcept : InlineVector() { take(other); }
  ~InlineVector() { release(); }

  InlineVector& operator=(const InlineVector& other) {
    if (this != &other) assign(other.begin(), other.end());
    return *this;
  }
  InlineVector& operator=(InlineVector&& other) noexcept {
    if (this == &other) return *this;
    release();
    data_ = own();
    size_ = 0;
    capacity_ = N;
    take(other);
    return *this;
  }
  InlineVector& operator=(std::initializer_list<T> values) {
    assign(values.begin(), values.end());
    return *this;
  }

  iterator begin() { return data_; }
  iterator end() { return data_ + size_; }
  const_iterator begin() const { return data_; }
  const_iterator end() const { return data_ + size_; }
  auto rbegin() { return std::make_reverse_iterator(end()); }
  auto rend() { return std::make_reverse_iterator(begin()); }
  auto rbegin() const { return std::make_reverse_iterator(end()); }
  auto rend() const { return std::make_reverse_iterator(begin()); }
  T* data() { return data_; }
  const T* data() const { return data_; }
  size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  T& operator[](size_t i) { return data_[i]; }
  const T& operator[](size_t i) const { return data_[i]; }
  T& front() { return data_[0]; }
  const T& front() const { return data_[0]; }
  T& back() { return data_[size_ - 1]; }
  const T& back() const { return data_[size_ - 1]; }

  void reserve(size_t capacity) {
    if (capacity > capacity_) grow(capacity);
  }
  void clear() {
    std::destroy_n(data_, size_);
    size_ = 0;
  }
  void resize(size_t size) {
    shrink(size);
    reserve(size);
    std::uninitialized_value_construct_n(data_ + size_, size - size_);
    size_ = static_cast<uint32_t>(size);
  }
  void resize(size_t size, const T& value) {
    shrink(size);
    reserve(size);
    std::uninitialized_fill_n(data_ + size_, size - size_, value);
    size_ = static_cast<uint32_t>(size);
  }
  template <std::forward_iterator It>
  void assign(It first, It last) {
    clear();
    append(first, last);
  }

  void push_back(T value) { emplace_back(std::move(value)); }
  template <typename... Args>
  T& emplace_back(Args&&... args) {
    if (size_ < capacity_) {
      std::construct_at(data_ + size_, std::forward<Args>(args)...);
    } else {
      T value(std::forward<Args>(args)...);  // the arguments may lie in the memory that goes
      grow(2 * static_cast<size_t>(capacity_));
      std::construct_at(data_ + size_, std::move(value));
    }
    return data_[size_++];
  }
  void pop_back() { std::destroy_at(data_ + --size_); }

  iterator insert(const_iterator at, T value) {
    const ptrdiff_t place = at - data_;
    emplace_back(std::move(value));
    std::rotate(begin() + place, end() - 1, end());
    return begin() + place;
  }
  /// [first, last) must lie outside this vector.
  template <std::forward_iterator It>
  iterator insert(const_iterator at, It first, It last) {
    const ptrdiff_t place = at - data_;
    const auto old_size = static_cast<ptrdiff_t>(size_);
    append(first, last);
    std::rotate(begin() + place, begin() + old_size, end());
    return begin() + place;
  }
  iterator insert(const_iterator at, std::initializer_list<T> values) {
    return insert(at, values.begin(), values.end());
  }
  iterator erase(const_iterator at) { return erase(at, at + 1); }
  iterator erase(const_iterator first, const_iterator last) {
    const iterator place = begin() + (first - data_);
    if (first == last) return place;  // elements must not be moved to themselves
    const iterator rest = std::move(place + (last - first), end(), place);
    shrink(static_cast<size_t>(rest - data_));
    return place;
  }

  template <typename Condition>
  friend void erase_if(InlineVector& values, Condition condition) {
    values.erase(std::remove_if(values.begin(), values.end(), condition), values.end());
  }

  friend bool operator==(const InlineVector& a, const InlineVector& b) {
    return a.size_ == b.size_ && std::equal(a.begin(), a.end(), b.begin());
  }
  friend auto operator<=>(const InlineVector& a, const InlineVector& b)
    requires std::three_way_comparable<T>
  {
    return std::lexicographical_compare_three_way(a.begin(), a.end(), b.begin(), b.end());
  }

 private:
  // All N places at once, used or not: a copy of known size needs no call.
  static constexpr bool kBytes = std::is_trivially_copyable_v<T> && N * sizeof(T) <= 64;
  void copy_own(const InlineVector& other) { std::memcpy(inline_, other.data_, N * sizeof(T)); }

  T* own() { return reinterpret_cast<T*>(inline_); }
  bool on_heap() const { return data_ != reinterpret_cast<const T*>(inline_); }

  void shrink(size_t size) {
    if (size >= size_) return;
    std::destroy_n(data_ + size, size_ - size);
    size_ = static_cast<uint32_t>(size);
  }
  template <typename It>
  void append(It first, It last) {
    const auto count = static_cast<size_t>(std::distance(first, last));
    reserve(size_ + count);
    std::uninitialized_copy(first, last, data_ + size_);
    size_ += static_cast<uint32_t>(count);
  }
  void grow(size_t capacity) {
    T* larger = std::allocator<T>().allocate(capacity);
    std::uninitialized_move_n(data_, size_, larger);
    const uint32_t size = size_;
    release();
    data_ = larger;
    size_ = size;
    capacity_ = static_cast<uint32_t>(capacity);
  }
  // This one is empty and on its own memory.
  void take(InlineVector& other) noexcept {
    if (other.on_heap()) {
      data_ = std::exchange(other.data_, other.own());
      size_ = std::exchange(other.size_, 0);
      capacity_ = std::exchange(other.capacity_, static_cast<uint32_t>(N));
    } else {
      if constexpr (kBytes)
        copy_own(other);
      else
        std::uninitialized_move_n(other.data_, other.size_, data_);
      size_ = other.size_;
      other.clear();
    }
  }
  void release() {
    std::destroy_n(data_, size_);
    if (on_heap()) std::allocator<T>().deallocate(data_, capacity_);
  }

  T* data_;
  uint32_t size_ = 0;
  uint32_t capacity_ = static_cast<uint32_t>(N);
  alignas(T) std::byte inline_[N * sizeof(T)];
};

}  // namespace assay
