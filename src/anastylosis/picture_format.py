"""Picture format: what those who write pictures and those who read them must share. Loads nothing, so both can be light."""

CAMERA_TEXT = "anastylosis-camera"  # name of the text in a PNG file that holds its camera
LUMA = (0.299, 0.587, 0.114)  # weights of red, green and blue in grey: ITU-R BT.601, as in Pillow and OpenCV
