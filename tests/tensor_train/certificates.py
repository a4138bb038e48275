"""What a train says of its error."""

from ttstack.tensor_train import Certificate, TensorTrain


def certificate(train: TensorTrain) -> Certificate:
    """That of a train that was made of a table."""
    assert train.certificate is not None
    return train.certificate
