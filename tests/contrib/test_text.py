"""`contrib.text`: tokens and their vectors, as MXNet numbers and reads them."""

from collections import Counter

import numpy
import pytest

from hybridize import np
from hybridize.contrib import text
from hybridize.errors import LoadError, OutOfBoundsError, ValueArgumentError


def test_vocabularies_number_tokens_as_mxnet_does():
    counter = text.utils.count_tokens_from_str(" Life is great ! \n life is good . \n", to_lower=True)
    assert counter == Counter({"is": 2, "life": 2, "!": 1, ".": 1, "good": 1, "great": 1})
    assert text.utils.count_tokens_from_str("good*is", r"\*", counter_to_update=counter)["is"] == 3
    vocabulary = text.vocab.Vocabulary(counter, most_freq_count=3, reserved_tokens=["<pad>", "life"])
    assert vocabulary.idx_to_token == ["<unk>", "<pad>", "life", "is", "good", "!"]  # of equal counts by their order
    assert len(vocabulary) == 6 and vocabulary.token_to_idx["is"] == 3
    assert (vocabulary.to_indices("is"), vocabulary.to_indices(["none", "good"])) == (3, [0, 4])
    assert (vocabulary.to_tokens(3), vocabulary.to_tokens([0, 4])) == ("is", ["<unk>", "good"])
    assert text.vocab.Vocabulary(counter, min_freq=2).idx_to_token == ["<unk>", "is", "good", "life"]
    for wrong in ({"min_freq": 0}, {"reserved_tokens": ["<unk>"]}, {"reserved_tokens": ["a", "a"]}):
        with pytest.raises(ValueArgumentError, match="E361"):
            text.vocab.Vocabulary(counter, **wrong)
    for index in (6, -1, "is"):
        with pytest.raises(ValueError, match="no token has the number"):
            vocabulary.to_tokens(index)


@pytest.fixture
def path(tmp_path):
    (tmp_path / "glove").mkdir()
    file = tmp_path / "glove" / "small.txt"
    file.write_text("a 1 2\nb 3 4\nc 5 6\n")
    return file


def test_vectors_out_of_a_file(path):
    embedding = text.embedding.CustomEmbedding(path)
    assert (len(embedding), embedding.vec_len, embedding.idx_to_token) == (4, 2, ["<unk>", "a", "b", "c"])
    assert embedding.idx_to_vec.tolist() == [[0, 0], [1, 2], [3, 4], [5, 6]]
    assert embedding.get_vecs_by_tokens("b").tolist() == [3, 4]
    assert embedding.get_vecs_by_tokens(["B", "d"], lower_case_backup=True).tolist() == [[3, 4], [0, 0]]
    embedding.update_token_vectors(["a", "<unk>"], np.array([[7.0, 8.0], [9.0, 9.0]]))
    assert embedding.idx_to_vec[:2].tolist() == [[9, 9], [7, 8]]
    with pytest.raises(OutOfBoundsError, match="'d' has no vector"):
        embedding.update_token_vectors("d", np.array([1.0, 2.0]))
    vocabulary = text.vocab.Vocabulary(Counter(["c", "d"]))
    of_words = text.embedding.create(
        "glove", pretrained_file_name="small.txt", embedding_root=path.parents[1], vocabulary=vocabulary
    )
    assert of_words.idx_to_token == ["<unk>", "c", "d"] and of_words.idx_to_vec.tolist() == [[0, 0], [5, 6], [0, 0]]
    both = text.embedding.CompositeEmbedding(vocabulary, [of_words, embedding])
    assert both.vec_len == 4 and both.get_vecs_by_tokens("c").tolist() == [5, 6, 5, 6]
    numpy.testing.assert_array_equal(both.get_vecs_by_tokens("d").asnumpy(), [0, 0, 9, 9])


def test_files_that_do_not_fit(path, monkeypatch):
    path.write_text("3 2\na 1 2\na 3 4\n<unk> 5 6\n")
    with pytest.warns(UserWarning, match="left out") as told:
        embedding = text.embedding.CustomEmbedding(path)
    assert [str(one.message).partition(": ")[2][:14] for one in told] == ["'3' with one n", "a second vecto"]
    assert embedding.idx_to_vec.tolist() == [[5, 6], [1, 2]]
    path.write_text("a 1 2\nb 1 2 3\n")
    with pytest.raises(LoadError, match=r"line 2 of .*: 3 numbers, after lines with 2"):
        text.embedding.CustomEmbedding(path)
    path.write_text("a 1 x\n")
    with pytest.raises(LoadError, match="no file of vectors"):
        text.embedding.CustomEmbedding(path)
    monkeypatch.setenv("MXNET_HOME", str(path.parent))
    assert text.embedding.get_pretrained_file_names("glove") == []
    with pytest.raises(LoadError, match=r"cannot read(.|\n)*nothing is downloaded"):
        text.embedding.create("glove")
    with pytest.raises(ValueArgumentError, match="no embedding 'word'"):
        text.embedding.get_pretrained_file_names("word")
